#include "timing/work.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/statistics.h"
#include "timing/caliber.h"
#include "timing/record_form.h"
#include "timing/timing_graph.h"

namespace zl::timing {

namespace {

// Bursts no longer than this: a device under load for some 5 ms on end begins to lower its clock.
// And hardly shorter: with bursts of 0.5 ms a spin of 20 us was 1.6 % off its line (H200).
constexpr double kBurst_ns = 3e6;
// A warm sample lasts this long: the tick and the null are then a small part of it.
constexpr double kWarmSample_ns = 50e3;
constexpr std::size_t kMaxCallsPerSample = 64;
constexpr int kEstimates = 3;
// Net intervals below this many ticks, or deviations of the null, hold no work for the device.
constexpr double kNothing = 4;

struct Side {
  std::unique_ptr<BurstSource> source;
  BurstShape shape;
  double null_ns = 0;
  Caliber caliber;
};

DeviceResult<double> estimate_ns(BurstSource& source, Handle stream, double null_ns) {
  auto const take = [&]() -> DeviceResult<double> {
    std::vector<double> samples;
    ZL_TRY_DEVICE(source.begin_visit());
    for (int i = 0; i < kEstimates; ++i) {
      auto const burst = source.run(stream);
      if (!burst) return tl::unexpected<DeviceError>(burst.error());
      samples.push_back(median(burst->intervals_ns));
    }
    return std::max(median(samples) - null_ns, 0.0);
  };
  auto const estimate = take();
  source.end_visit();
  return estimate;
}

// `is_changed`: a call changes its inputs, so each sample is one call.
BurstShape shape_for(Session const& session, double call_ns, bool is_cold, bool is_changed) {
  BurstShape shape;
  shape.is_cold = is_cold;
  if (!is_cold && !is_changed) {
    double const calls = call_ns > 0 ? std::ceil(kWarmSample_ns / call_ns) : kMaxCallsPerSample;
    shape.calls_per_sample =
        static_cast<std::size_t>(std::clamp<double>(calls, 1, kMaxCallsPerSample));
  }
  double const sample_ns =
      call_ns * static_cast<double>(shape.calls_per_sample) + (is_cold ? session.flush_ns() : 0);
  double const samples = sample_ns > 0 ? std::floor(kBurst_ns / sample_ns) : kMaxSamplesPerBurst;
  shape.samples = static_cast<std::size_t>(std::clamp<double>(samples, 1, kMaxSamplesPerBurst));
  return shape;
}

Caliber caliber_of(Session const& session, std::string timer, bool is_cold) {
  return {std::move(timer), !is_cold, session.has_device_code(), session.flush_factor(), true};
}

DeviceResult<DeviceTimings> measure_sides(Bench const& bench, std::vector<Work> const& works,
                                          std::vector<Side> const& sides, Handle stream,
                                          MeasureRequest const& request) {
  DeviceTimings timings(sides.size());
  std::vector<MeasuredSide> measured;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Side const& side = sides[i];
    timings[i].caliber = to_text(side.caliber);
    timings[i].samples_per_burst = side.shape.samples;
    timings[i].record = {
        works[i].id, bench.tick_ns, side.null_ns, side.shape.calls_per_sample, request.tau, {}};
    measured.push_back({side.source.get(), &timings[i].record});
  }
  Surroundings const surroundings{&bench.session.host(),
                                  [&] { return wait_for_steady_clock(bench.session, stream); },
                                  bench.session.device_state()};
  ZL_TRY_DEVICE(measure(surroundings, measured, stream, bench.params));
  ZL_TRY_DEVICE(summarise_records(&timings));
  return timings;
}

// A source of the best mode for a work, at its full size.
DeviceResult<Side> settle_side(Bench const& bench, DirectCalls const& calls, Handle stream,
                               MeasureRequest const& request, double null_ns, DirectMode best) {
  Session const& session = bench.session;
  DirectSource one(session, calls, {1, 1, request.is_cold}, bench.direct_params);
  ZL_TRY_DEVICE(one.settle(stream, best));
  auto const estimate = estimate_ns(one, stream, one.mode() == DirectMode::sync ? 0 : null_ns);
  if (!estimate) return tl::unexpected<DeviceError>(estimate.error());
  bool const is_changed = calls.prepare.call != nullptr;
  BurstShape const shape = shape_for(session, *estimate, request.is_cold, is_changed);
  auto full = std::make_unique<DirectSource>(session, calls, shape, bench.direct_params);
  ZL_TRY_DEVICE(full->settle(stream, one.mode()));
  Side side;
  side.shape = shape;
  side.shape.samples = full->samples();
  side.caliber = caliber_of(session, std::string(to_text(full->mode())), request.is_cold);
  side.caliber.is_net = full->mode() != DirectMode::sync;
  side.null_ns = side.caliber.is_net ? null_ns : 0;
  side.source = std::move(full);
  return side;
}

DirectMode mode_of(Side const& side) {
  return static_cast<DirectSource const&>(*side.source).mode();
}

// In one mode for all: the worst that one of them needs.
DeviceResult<std::vector<Side>> settle_sides(Bench const& bench,
                                             std::vector<DirectCalls> const& calls, Handle stream,
                                             MeasureRequest const& request, double null_ns,
                                             DirectMode best) {
  while (true) {
    std::vector<Side> sides;
    DirectMode worst = best;
    for (DirectCalls const& call : calls) {
      auto side = settle_side(bench, call, stream, request, null_ns, worst);
      if (!side) return tl::unexpected<DeviceError>(side.error());
      worst = std::max(worst, mode_of(*side));
      sides.push_back(std::move(*side));
    }
    if (mode_of(sides.front()) == worst) return sides;
    best = worst;
  }
}

}  // namespace

DeviceResult<void> summarise_records(DeviceTimings* timings) {
  for (DeviceTiming& timing : *timings) {
    timing.record = normalised(std::move(timing.record));
    auto summary = summarise(timing.record);
    if (!summary) return device_fail("unstable", "no burst could be kept: all were rejected");
    timing.summary = std::move(*summary);
  }
  return {};
}

DeviceResult<DeviceTimings> measure_in_graph(Bench const& bench, std::vector<Work> const& works,
                                             Handle stream, MeasureRequest const& request) {
  auto const null = bench.nulls.of_graph(stream, request.is_cold);
  if (!null) return tl::unexpected<DeviceError>(null.error());
  std::vector<Side> sides;
  for (Work const& work : works) {
    GraphSource one(bench.session, work.graph, work.restore, {1, 1, request.is_cold});
    auto const estimate = estimate_ns(one, stream, null->median_ns);
    if (!estimate) return tl::unexpected<DeviceError>(estimate.error());
    BurstShape const shape =
        shape_for(bench.session, *estimate, request.is_cold, work.restore != nullptr);
    sides.push_back({std::make_unique<GraphSource>(bench.session, work.graph, work.restore, shape),
                     shape, null->median_ns,
                     caliber_of(bench.session, "graph-evt", request.is_cold)});
  }
  return measure_sides(bench, works, sides, stream, request);
}

DeviceResult<DeviceTimings> measure_launches(Bench const& bench, std::vector<Work> const& works,
                                             Handle stream, MeasureRequest const& request) {
  auto const null = bench.nulls.of_launch(stream, request.is_cold);
  if (!null) return tl::unexpected<DeviceError>(null.error());
  std::deque<LaunchableGraph> graphs;
  std::vector<DirectCalls> calls;
  for (Work const& work : works) {
    LaunchableGraph& graph = graphs.emplace_back(bench.session);
    ZL_TRY_DEVICE(graph.instantiate(work.graph, stream));
    calls.push_back({graph.call(), {}, {}, {}});
    if (work.restore == nullptr) continue;
    LaunchableGraph& restore = graphs.emplace_back(bench.session);
    ZL_TRY_DEVICE(restore.instantiate(work.restore, stream));
    calls.back().prepare = restore.call();
  }
  auto sides = settle_sides(bench, calls, stream, request, null->median_ns, DirectMode::blocked);
  auto timings = sides ? measure_sides(bench, works, *sides, stream, request)
                       : DeviceResult<DeviceTimings>(tl::unexpected<DeviceError>(sides.error()));
  for (LaunchableGraph const& graph : graphs) {
    if (!timings) ZL_TRY_DEVICE(graph.outcome());
  }
  if (!timings) return timings;
  for (std::size_t i = 0; i < works.size(); ++i) {
    Caliber caliber = (*sides)[i].caliber;
    bool const is_blocked = mode_of((*sides)[i]) == DirectMode::blocked;
    caliber.timer =
        is_blocked ? "graph-outer" : "graph-outer" + caliber.timer.substr(caliber.timer.find('-'));
    (*timings)[i].caliber = to_text(caliber);
  }
  return timings;
}

DeviceResult<DeviceTimings> measure_calls(Bench const& bench, std::vector<Work> const& works,
                                          Handle stream, MeasureRequest const& request,
                                          DirectMode best) {
  auto const null = bench.nulls.of_direct(stream, request.is_cold);
  if (!null) return tl::unexpected<DeviceError>(null.error());
  std::vector<DirectCalls> calls;
  for (Work const& work : works) calls.push_back(work.calls);
  auto const sides = settle_sides(bench, calls, stream, request, null->median_ns, best);
  if (!sides) return tl::unexpected<DeviceError>(sides.error());
  auto timings = measure_sides(bench, works, *sides, stream, request);
  if (!timings || mode_of(sides->front()) == DirectMode::sync) return timings;
  double const nothing_ns = kNothing * std::max(bench.tick_ns, null->spread_ns);
  for (DeviceTiming& timing : *timings) {
    if (timing.summary.value_ns < nothing_ns) timing.flags.emplace_back("host_only");
  }
  return timings;
}

}  // namespace zl::timing
