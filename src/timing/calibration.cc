#include "timing/calibration.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace zl::timing {

namespace {

constexpr int kNullBursts = 8;
constexpr std::size_t kTickPairs = 512;
// Differences below this come from the float in which intervals are told.
constexpr double kLeastTick_ns = 0.5;

}  // namespace

DeviceResult<NullInterval> measure_null(BurstSource& source, Handle stream) {
  ZL_TRY_DEVICE(source.begin_visit());
  std::vector<double> samples;
  for (int i = 0; i <= kNullBursts; ++i) {
    auto const burst = source.run(stream);
    if (!burst) return tl::unexpected<DeviceError>(burst.error());
    if (i > 0)
      samples.insert(samples.end(), burst->intervals_ns.begin(), burst->intervals_ns.end());
  }
  NullInterval null{median(samples), 0, samples.size()};
  std::vector<double> deviations;
  for (double const sample : samples) deviations.push_back(std::abs(sample - null.median_ns));
  // The factor makes a median deviation a standard deviation, where the samples are normal.
  null.spread_ns = 1.4826 * median(deviations);
  return null;
}

DeviceResult<double> measure_tick(Session const& session, Handle stream) {
  auto const& api = session.api();
  std::vector<double> intervals;
  while (intervals.size() < kTickPairs) {
    for (std::size_t i = 0; i < kMaxSamplesPerBurst; ++i) {
      ZL_TRY_DEVICE(
          session.check(api.event_record(session.begin_event(i), stream), "recording an event"));
      // Of all lengths, so that neighbouring ticks are among them.
      auto const length = static_cast<std::int64_t>(1000 + 7 * intervals.size() + 13 * i);
      if (session.has_device_code()) ZL_TRY_DEVICE(session.spin(stream, length, 1));
      ZL_TRY_DEVICE(
          session.check(api.event_record(session.end_event(i), stream), "recording an event"));
    }
    ZL_TRY_DEVICE(session.check(api.stream_synchronize(stream), "measuring the events' tick"));
    ZL_TRY_DEVICE(session.read_intervals(kMaxSamplesPerBurst, &intervals));
  }
  std::sort(intervals.begin(), intervals.end());
  double tick = 0;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    double const step = intervals[i] - intervals[i - 1];
    if (step >= kLeastTick_ns && (tick == 0 || step < tick)) tick = step;
  }
  return tick;
}

}  // namespace zl::timing
