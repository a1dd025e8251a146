#pragma once

#include <cstdint>

#include "timing/record.h"

namespace zl::timing {

// A stored record (docs/timing-record.md) holds whole numbers of these units.
inline constexpr double kFine_ns = 0.01;
inline constexpr double kStart_ns = 1000;
inline constexpr double kClock_mhz = 0.1;
inline constexpr double kHost_ns = 1;

// The nearest whole number of `unit`, within 2^53 to both sides; 0 for what is no number.
std::int64_t to_steps(double value, double unit);
double from_steps(std::int64_t steps, double unit);

// The unit of the intervals: the tick where each is a whole number of ticks, else 1 ns in the same
// way, else kFine_ns.
double interval_unit_ns(Record const& record);

// What the stored form can carry of `record`, which a summary is made of and its own form gives
// again to the last bit: intervals in the unit above (a time that reached us as a float counts as a
// number of ticks within what a float can tell), starts in whole microseconds, one host_ns a burst,
// the id in UTF-8. What no summary needs stays as it is: wall_ns, device_ns, the other evidence.
Record normalised(Record record);

}  // namespace zl::timing
