#include "timing/engine.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace zl::timing {

namespace {

// Bursts no longer than this: a device under load for some 5 ms on end begins to lower its clock.
constexpr double kBurst_ns = 3e6;
// A warm sample lasts this long: the tick and the null are then a small part of it.
constexpr double kWarmSample_ns = 50e3;
constexpr std::size_t kMaxCallsPerSample = 64;
constexpr int kEstimates = 3;

constexpr int kCapturing = 1;
constexpr int kInvalidated = 2;

struct GraphLaunch {
  Session const* session;
  Handle exec;
  Handle stream;
  DeviceResult<void> outcome;

  static int run(void* state) {
    auto& self = *static_cast<GraphLaunch*>(state);
    self.outcome = self.session->check(self.session->api().graph_launch(self.exec, self.stream),
                                       "launching the captured work");
    return self.outcome ? 0 : 1;
  }
};

// A graph made ready to launch, and destroyed at the end.
struct Exec {
  explicit Exec(Session const& owner) : session(owner) {}
  ~Exec() {
    if (handle != nullptr) session.api().graph_exec_destroy(handle);
  }
  Exec(Exec const&) = delete;
  Exec& operator=(Exec const&) = delete;
  Session const& session;
  Handle handle = nullptr;
};

DeviceResult<double> estimate_ns(BurstSource& source, Handle stream, double null_ns) {
  std::vector<double> samples;
  for (int i = 0; i < kEstimates; ++i) {
    auto const burst = source.run(stream);
    if (!burst) return tl::unexpected<DeviceError>(burst.error());
    samples.push_back(median(burst->intervals_ns));
  }
  return std::max(median(samples) - null_ns, 0.0);
}

bool is_sticky(DeviceError const& error) {
  return error.status_class == backend::StatusClass::sticky;
}

}  // namespace

DeviceResult<std::unique_ptr<Engine>> Engine::open(backend::DeviceRuntime runtime,
                                                   HostEnvironment host, int device,
                                                   MeasureParams params,
                                                   DirectParams direct_params) {
  auto session = Session::open(std::move(runtime), std::move(host), device);
  if (!session) return tl::unexpected<DeviceError>(session.error());
  std::unique_ptr<Engine> engine(new Engine(std::move(*session), params, direct_params));
  if (!engine->session_->runtime().features().graph_event_nodes) {
    engine->inside_missing_ = "the runtime has no event nodes";
  }
  return engine;
}

// Nothing is tried on a device that is lost, and a loss is remembered.
template <class Action>
auto Engine::guarded(Handle stream, Action const& action) -> decltype(action()) {
  if (end_) return tl::unexpected<DeviceError>(*end_);
  auto const ready = [&]() -> DeviceResult<void> {
    ZL_TRY_DEVICE(session_->enter());
    ZL_TRY_DEVICE(check_stream(stream));
    return ensure_tick(stream);
  }();
  auto const keep = [&](DeviceError const& error) {
    if (is_sticky(error)) end_ = error;
    return tl::unexpected<DeviceError>(error);
  };
  if (!ready) return keep(ready.error());
  auto result = action();
  if (!result) return keep(result.error());
  return result;
}

// A capture that failed leaves its stream unusable until it is ended there, whatever that says.
DeviceResult<void> Engine::check_stream(Handle stream) {
  auto const& api = session_->api();
  int status = 0;
  if (api.stream_is_capturing == nullptr || stream == nullptr) return {};
  ZL_TRY_DEVICE(session_->check(api.stream_is_capturing(stream, &status), "asking for a capture"));
  if (status == kCapturing) {
    return device_fail("capturing", "the stream is being captured: end the capture first",
                       backend::StatusClass::recoverable);
  }
  if (status != kInvalidated) return {};
  if (api.stream_end_capture != nullptr) {
    Handle rest = nullptr;
    api.stream_end_capture(stream, &rest);
    if (rest != nullptr) api.graph_destroy(rest);
  }
  return device_fail("capture_invalidated",
                     "the capture of the stream was invalidated by something the call did; it is "
                     "ended now: measure the call directly",
                     backend::StatusClass::capture_only);
}

DeviceResult<void> Engine::ensure_tick(Handle stream) {
  if (tick_ns_) return {};
  auto const tick = measure_tick(*session_, stream);
  if (!tick) return tl::unexpected<DeviceError>(tick.error());
  tick_ns_ = *tick;
  return {};
}

DeviceResult<NullInterval> Engine::graph_null(Handle stream, bool is_cold) {
  auto const key = std::pair('g', is_cold);
  if (auto const found = nulls_.find(key); found != nulls_.end()) return found->second;
  OwnGraph nothing;
  ZL_TRY_DEVICE(nothing.create(*session_, OwnGraph::Content::nothing));
  GraphSource source(*session_, nothing.get(), {kMaxSamplesPerBurst, 1, is_cold});
  auto const null = measure_null(source, stream);
  if (null) nulls_[key] = *null;
  return null;
}

DeviceResult<NullInterval> Engine::direct_null(Handle stream, bool is_cold) {
  auto const key = std::pair('d', is_cold);
  if (auto const found = nulls_.find(key); found != nulls_.end()) return found->second;
  TimedCall const nothing{[](void*) { return 0; }, nullptr};
  DirectSource source(*session_, nothing, {kMaxSamplesPerBurst, 1, is_cold}, direct_params_);
  ZL_TRY_DEVICE(source.settle(stream));
  auto const null = measure_null(source, stream);
  if (null) nulls_[key] = *null;
  return null;
}

DeviceResult<NullInterval> Engine::outer_null(Handle stream, bool is_cold) {
  auto const key = std::pair('o', is_cold);
  if (auto const found = nulls_.find(key); found != nulls_.end()) return found->second;
  OwnGraph nothing;
  ZL_TRY_DEVICE(nothing.create(*session_, OwnGraph::Content::nothing));
  Exec exec(*session_);
  ZL_TRY_DEVICE(
      session_->check(backend::instantiate_graph(session_->api(), &exec.handle, nothing.get()),
                      "instantiating an empty graph"));
  GraphLaunch launch{session_.get(), exec.handle, stream, {}};
  DirectSource source(*session_, {&GraphLaunch::run, &launch}, {kMaxSamplesPerBurst, 1, is_cold},
                      direct_params_);
  ZL_TRY_DEVICE(source.settle(stream));
  auto const null = measure_null(source, stream);
  if (null) nulls_[key] = *null;
  return null;
}

DeviceResult<Calibration> Engine::calibrate(Handle stream) {
  return guarded(stream, [&]() -> DeviceResult<Calibration> {
    Calibration result;
    result.tick_ns = *tick_ns_;
    auto const clock = wait_for_steady_clock(*session_, stream);
    if (!clock) return tl::unexpected<DeviceError>(clock.error());
    result.clock_mhz = *clock;
    if (inside_missing_.empty()) {
      auto const null = graph_null(stream, true);
      if (!null && is_sticky(null.error())) return tl::unexpected<DeviceError>(null.error());
      // It was tried, and this device does not do it.
      if (!null) inside_missing_ = null.error().text;
      if (null) result.graph_null = *null;
    }
    result.graph_missing = inside_missing_;
    if (inside_missing_.empty() && session_->has_device_code()) {
      OwnGraph kernel;
      ZL_TRY_DEVICE(kernel.create(*session_, OwnGraph::Content::empty_kernel));
      GraphSource source(*session_, kernel.get(), {kMaxSamplesPerBurst, 1, true});
      auto const nop = measure_null(source, stream);
      if (!nop) return tl::unexpected<DeviceError>(nop.error());
      result.graph_nop = *nop;
    }
    auto const null = direct_null(stream, true);
    if (!null) return tl::unexpected<DeviceError>(null.error());
    result.direct_null = *null;
    result.direct_mode =
        to_text(session_->flag() != nullptr ? DirectMode::blocked : DirectMode::preroll);
    return result;
  });
}

BurstShape Engine::shape_for(double call_ns, bool is_cold) const {
  BurstShape shape;
  shape.is_cold = is_cold;
  if (!is_cold) {
    double const calls = call_ns > 0 ? std::ceil(kWarmSample_ns / call_ns) : kMaxCallsPerSample;
    shape.calls_per_sample =
        static_cast<std::size_t>(std::clamp<double>(calls, 1, kMaxCallsPerSample));
  }
  double const sample_ns =
      call_ns * static_cast<double>(shape.calls_per_sample) + (is_cold ? session_->flush_ns() : 0);
  double const samples = sample_ns > 0 ? std::floor(kBurst_ns / sample_ns) : kMaxSamplesPerBurst;
  shape.samples = static_cast<std::size_t>(std::clamp<double>(samples, 1, kMaxSamplesPerBurst));
  return shape;
}

Caliber Engine::caliber(std::string_view timer, bool is_cold) const {
  return {timer, !is_cold, session_->has_device_code(), session_->flush_factor(), true};
}

DeviceResult<DeviceTiming> Engine::finish(BurstSource& source, Handle stream,
                                          MeasureRequest const& request, BurstShape shape,
                                          double null_ns) {
  DeviceTiming timing;
  timing.samples_per_burst = shape.samples;
  timing.record = {request.id, *tick_ns_, null_ns, shape.calls_per_sample, request.tau, {}};
  ZL_TRY_DEVICE(measure(*session_, source, stream, params_, &timing.record));
  auto summary = summarise(timing.record);
  if (!summary) {
    return device_fail("unstable", "no burst could be kept: all were rejected",
                       backend::StatusClass::recoverable);
  }
  timing.summary = std::move(*summary);
  return timing;
}

DeviceResult<DeviceTiming> Engine::measure_inside(Handle work, Handle stream,
                                                  MeasureRequest const& request) {
  auto const null = graph_null(stream, request.is_cold);
  if (!null) return tl::unexpected<DeviceError>(null.error());
  GraphSource one(*session_, work, {1, 1, request.is_cold});
  ZL_TRY_DEVICE(one.prepare());
  auto const estimate = estimate_ns(one, stream, null->median_ns);
  if (!estimate) return tl::unexpected<DeviceError>(estimate.error());
  BurstShape const shape = shape_for(*estimate, request.is_cold);
  GraphSource source(*session_, work, shape);
  auto timing = finish(source, stream, request, shape, null->median_ns);
  if (timing) timing->caliber = to_text(caliber("graph-evt", request.is_cold));
  return timing;
}

DeviceResult<DeviceTiming> Engine::measure_calls(TimedCall call, Handle stream,
                                                 MeasureRequest const& request, bool is_graph) {
  auto const null =
      is_graph ? outer_null(stream, request.is_cold) : direct_null(stream, request.is_cold);
  if (!null) return tl::unexpected<DeviceError>(null.error());
  DirectSource source(*session_, call, {1, 1, request.is_cold}, direct_params_);
  ZL_TRY_DEVICE(source.settle(stream));
  double null_ns = source.mode() == DirectMode::sync ? 0 : null->median_ns;
  auto const estimate = estimate_ns(source, stream, null_ns);
  if (!estimate) return tl::unexpected<DeviceError>(estimate.error());
  BurstShape shape = shape_for(*estimate, request.is_cold);
  DirectSource full(*session_, call, shape, direct_params_);
  ZL_TRY_DEVICE(full.settle(stream));
  shape.samples = full.samples();
  if (full.mode() == DirectMode::sync) null_ns = 0;
  auto timing = finish(full, stream, request, shape, null_ns);
  if (!timing) return timing;
  std::string timer(to_text(full.mode()));
  if (is_graph) {
    timer = full.mode() == DirectMode::blocked ? "graph-outer"
                                               : "graph-outer" + timer.substr(timer.find('-'));
  }
  Caliber how = caliber(timer, request.is_cold);
  how.is_net = full.mode() != DirectMode::sync;
  timing->caliber = to_text(how);
  if (!is_graph && full.mode() != DirectMode::blocked) {
    timing->fallback = session_->flag() == nullptr
                           ? "the device cannot hold a stream"
                           : "the call waits for the device, or is too slow to be submitted ahead";
  }
  return timing;
}

DeviceResult<DeviceTiming> Engine::measure_outside(Handle work, Handle stream,
                                                   MeasureRequest const& request) {
  Exec exec(*session_);
  ZL_TRY_DEVICE(session_->check(backend::instantiate_graph(session_->api(), &exec.handle, work),
                                "instantiating the captured work"));
  GraphLaunch launch{session_.get(), exec.handle, stream, {}};
  auto timing = measure_calls({&GraphLaunch::run, &launch}, stream, request, true);
  if (!timing && !launch.outcome) return tl::unexpected<DeviceError>(launch.outcome.error());
  return timing;
}

DeviceResult<DeviceTiming> Engine::measure_graph(Handle work, Handle stream,
                                                 MeasureRequest const& request) {
  return guarded(stream, [&]() -> DeviceResult<DeviceTiming> {
    if (!session_->runtime().features().graphs) {
      return device_fail("no_graphs", "the runtime has no graphs: measure the call directly");
    }
    auto const census = take_census(*session_, work);
    if (!census) return tl::unexpected<DeviceError>(census.error());
    if (census->is_empty()) {
      return device_fail("empty_graph",
                         "the captured graph holds no work for the device: the call did it on "
                         "another stream, on the host or not at all");
    }
    std::string why = inside_missing_;
    if (census->host_calls > 0) why = "the captured work calls the host";
    if (census->refused > 0) why = "the captured work holds nodes that cannot be composed";
    DeviceResult<DeviceTiming> timing = device_fail("no_graphs", why);
    if (why.empty()) {
      timing = measure_inside(work, stream, request);
      if (!timing && is_sticky(timing.error())) return timing;
      if (!timing) why = timing.error().text;
    }
    if (!timing) timing = measure_outside(work, stream, request);
    if (!timing) return timing;
    timing->census = *census;
    timing->fallback = why;
    return timing;
  });
}

DeviceResult<DeviceTiming> Engine::measure_direct(TimedCall call, Handle stream,
                                                  MeasureRequest const& request) {
  return guarded(stream, [&] { return measure_calls(call, stream, request, false); });
}

}  // namespace zl::timing
