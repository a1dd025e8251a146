#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "timing/burst.h"
#include "timing/burst_stopping.h"
#include "timing/visits.h"

namespace zl::timing {

// What was seen, and nothing computed of it.
struct Visit {
  std::vector<Burst> bursts;
  BurstStop why = BurstStop::none;  // none: too many bursts were rejected
  bool is_discarded = false;        // it drifted, and the next visit took its place
  bool is_drifting = false;
  bool is_power_capped = false;              // within a burst that counts
  std::optional<double> temperature_c = {};  // of the device at its end
};

struct Record {
  std::string id;  // of the measurement: seeds the dither
  double tick_ns = 0;
  double null_ns = 0;  // the timer's own interval, of a sample
  std::size_t calls_per_sample = 1;
  double tau = 0;  // the usual change between runs, as a share; 0: not known
  std::vector<Visit> visits;
  double quantile = 0.5;  // of the samples: what is estimated
};

// Two ticks of the clock between two visits are no evidence of anything.
VisitTolerance visit_tolerance(Record const& record);

// Samples of one burst per call, dithered, the timer's own share still in them. `first_index`: how
// many samples were taken before this burst, in the whole record.
std::vector<double> dithered_samples(Record const& record, Burst const& burst,
                                     std::size_t first_index);

// All per call, without the timer's own share.
struct Summary {
  double value_ns = 0;  // the record's quantile: the number that is shown
  double median_ns = 0;
  std::optional<Interval> interval_ns;  // of the value
  std::optional<double> ci95_relative;  // half of the interval's width, as a share of the value
  // Half of the width that holds another run's value too; empty where `tau` is not known.
  std::optional<double> ci95_rep_ns;
  double iqr_ns = 0;  // p75 - p25
  double min_ns = 0, p5_ns = 0, p25_ns = 0, p75_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
  std::size_t far_out = 0;  // above p75 + 3 (p75 - p25); they stay in
  std::size_t samples = 0;
  std::size_t bursts = 0;
  std::size_t visits = 0;           // that have a burst which counts
  std::size_t rejected_bursts = 0;  // with those of a visit that was taken again
  double clock_mhz = 0;             // median of the bursts; 0: not known
  std::optional<double> cycles;     // median of time by clock, of the bursts whose clock is known
  std::optional<double> host_ns;    // median of what submitting a call cost
  std::vector<double> visit_values_ns;
  std::vector<std::string> flags;
};

// A pure function: the same record gives the same summary to the last bit. Empty when no burst of
// any visit counts.
std::optional<Summary> summarise(Record const& record);

}  // namespace zl::timing
