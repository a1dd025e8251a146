#pragma once

#include "timing/direct_source.h"
#include "timing/timing_graph.h"

namespace zl::timing {

// What a timer shows when there is nothing to time.
struct NullInterval {
  double median_ns = 0;
  double spread_ns = 0;  // standard deviation of a sample, from the median deviation
  std::size_t samples = 0;
};

DeviceResult<NullInterval> measure_null(BurstSource& source, Handle stream);

// The step of the events' clock: the least difference between any two intervals of some 500.
DeviceResult<double> measure_tick(Session const& session, Handle stream);

}  // namespace zl::timing
