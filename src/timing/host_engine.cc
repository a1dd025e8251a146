#include "timing/host_engine.h"

#include <deque>

#include "timing/caliber.h"
#include "timing/measure.h"

namespace zl::timing {

namespace {

// Others can make a call on the CPU slower and nothing makes it faster: the 5 % quantile repeats to
// a few tenths of a percent where the median moves by five (docs/measuring.md).
constexpr double kHostQuantile = 0.05;

}  // namespace

MeasureParams host_measure_params() {
  MeasureParams params;
  params.stopping.quantile = kHostQuantile;
  // A burst of calls longer than this holds fewer than ten samples.
  params.stopping.long_call_ns = 300e3;
  params.stopping.least_half_width_ns = 0.02;
  params.stopping.max_wall_ns = 150e6;
  params.stopping.patient_ns = 4e6;
  params.stopping.limit_wall_ns = 1e9;
  return params;
}

std::string host_caliber() {
  return to_text(Caliber{.timer = "host-p5", .is_warm = true});
}

HostEngine::HostEngine(HostEnvironment host, HostWatch watch, HostParams params)
    : host_(std::move(host)),
      watch_(std::move(watch)),
      params_(params),
      tick_ns_(measure_host_tick(host_)),
      null_(measure_host_null(host_)) {}

DeviceResult<DeviceTimings> HostEngine::measure(std::vector<Work> const& works,
                                                MeasureRequest const& request) {
  failed_work_.reset();
  std::deque<HostSource> sources;
  auto const keep = [&](DeviceError const& error) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].has_failed()) failed_work_ = i;
    }
    return tl::unexpected<DeviceError>(error);
  };
  DeviceTimings timings(works.size());
  std::vector<MeasuredSide> sides;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (works[i].calls.call.call == nullptr) {
      return device_fail("no_call", "a host measures calls, and there is none");
    }
    HostSource& source = sources.emplace_back(host_, watch_, works[i].calls, params_);
    auto const settled = source.settle(tick_ns_);
    if (!settled) return keep(settled.error());
    std::size_t const calls = source.shape().calls_per_sample;
    timings[i].caliber = host_caliber();
    timings[i].samples_per_burst = source.shape().samples;
    timings[i].record = {works[i].id, tick_ns_, null_.of(calls), calls,
                         request.tau, {},       kHostQuantile};
    sides.push_back({&source, &timings[i].record});
  }
  Surroundings const surroundings{&host_, [] { return DeviceResult<double>(0.0); }};
  auto const measured = zl::timing::measure(surroundings, sides, nullptr, host_measure_params());
  if (!measured) return keep(measured.error());
  ZL_TRY_DEVICE(summarise_records(&timings));
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (sources[i].is_preempted_often()) timings[i].flags.emplace_back("preempted_often");
  }
  return timings;
}

}  // namespace zl::timing
