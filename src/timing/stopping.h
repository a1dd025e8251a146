// timing/: how a number is taken: stopping rules and timers. Knows calls and clocks, not what is
// called; never writes a result anywhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/statistics.h"

namespace zl::timing {

struct StoppingParams {
  // Half of the 95 % interval's width, as a share of the median: 0.005 is "within 1 %".
  double half_width = 0.005;
  // The first look at the interval. Below about 20 the order statistics of the interval are the
  // extremes themselves, and one disturbed sample decides.
  std::size_t min_samples = 20;
  // What disturbs a host (a scheduler tick, another guest) lasts some 4 to 10 ms: an interval from
  // within one such spell is narrow around the wrong value, so samples must span several.
  double min_total_ns = 50e6;
  // The distance between looks grows by this, so that a thousand samples cost some 18 sorts instead
  // of a thousand, and fewer looks give chance fewer occasions to stop early.
  double look_growth = 1.25;
  // The caps, for a side that stays too restless. This one bounds memory: samples of 0.1 ms, as
  // short as the timer makes them, meet the time below first.
  std::size_t max_samples = 5000;
  // Once min_samples are there. A corpus of a hundred cases is to be over within a minute or two
  // even on a machine where no interval becomes narrow.
  double max_total_ns = 0.4e9;
  // In any case: a call may take seconds.
  double limit_ns = 3e9;
};

enum class StopReason { none, interval, max_samples, max_time };
std::string_view to_text(StopReason reason);

// Stops when the median is known well enough, or at a cap. Fed with numbers; has no clock.
class MedianStopping {
 public:
  // A sample is the time per call over `calls_per_sample` calls, so it has cost that many times its
  // value. Forgets everything that was added before.
  void start(StoppingParams const& params, std::size_t calls_per_sample);
  void add(double sample_ns);
  bool done() const { return why_ != StopReason::none; }
  // At a cap: a side that is done for its interval may take more samples, this one must not.
  bool is_exhausted() const;
  StopReason why() const { return why_; }

  std::vector<double> const& samples_ns() const { return samples_ns_; }
  // Of all samples so far; empty while there are too few for any.
  std::optional<Interval> interval_ns() const { return median_interval(samples_ns_); }

 private:
  bool is_narrow() const;
  StoppingParams params_;
  double calls_per_sample_ = 1;
  double total_ns_ = 0;
  std::size_t next_look_ = 0;
  StopReason why_ = StopReason::none;
  std::vector<double> samples_ns_;
};

}  // namespace zl::timing
