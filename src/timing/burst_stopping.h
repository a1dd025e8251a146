#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "timing/cluster_interval.h"

namespace zl::timing {

struct BurstStoppingParams {
  // What is estimated: the median, or a lower quantile where others can only make a call slower.
  double quantile = 0.5;
  // Half of the 95 % interval's width, as a share of the value.
  double half_width = 0.005;
  // ... or this: below it more samples tell nothing more, above all where the value is next to 0.
  double least_half_width_ns = 2;
  std::size_t min_bursts = 8;
  std::size_t min_samples = 64;
  // Above this 64 calls would take long, and the clock's tick is nothing: the bursts alone count.
  double long_call_ns = 200e3;
  std::size_t min_long_bursts = 10;
  // Looks at 8, 10, 13, 17, ...: each look is an occasion to stop by chance.
  double look_growth = 1.25;
  // Caps. The first waits for the least number of bursts, the second only where a call is longer
  // than `patient_ns`; the last waits for nothing. 16 ms are 13 bursts of a call of 3 us: what
  // changes from run to run is more than what more of them would tell (docs/measuring.md).
  double max_device_ns = 16e6;
  double max_wall_ns = 250e6;
  double patient_ns = 2e6;
  double limit_wall_ns = 10e9;
};

enum class BurstStop { none, interval, max_device, max_wall };
std::string_view to_text(BurstStop reason);

struct BurstCost {
  double device_ns = 0;
  double wall_ns = 0;
};

// Stops when the value is known well enough, or at a cap. Fed with numbers; has no clock.
class BurstStopping {
 public:
  // `offset_ns` is what will be subtracted of the value: the width is a share of what remains.
  void start(BurstStoppingParams const& params, double offset_ns);
  // Samples per call with their dither; not empty.
  void add_burst(std::vector<double> samples_ns, BurstCost cost);
  bool done() const { return why_ != BurstStop::none; }
  BurstStop why() const { return why_; }
  std::size_t bursts() const { return bursts_.size(); }
  // Of all bursts so far, of which there is at least one.
  ClusterEstimate estimate() const { return estimate_quantile(bursts_, params_.quantile); }

 private:
  void look();
  BurstStoppingParams params_;
  double offset_ns_ = 0;
  BurstCost spent_;
  std::size_t samples_ = 0;
  std::size_t next_look_ = 0;
  BurstStop why_ = BurstStop::none;
  std::vector<std::vector<double>> bursts_;
};

}  // namespace zl::timing
