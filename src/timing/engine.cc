#include "timing/engine.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "base/text.h"
#include "timing/audit.h"
#include "timing/timing_graph.h"

namespace zl::timing {

namespace {

constexpr int kCapturing = 1;
constexpr int kInvalidated = 2;

bool is_sticky(DeviceError const& error) {
  return error.status_class == backend::StatusClass::sticky;
}

// Another way of measuring would end in the same.
bool is_final(DeviceError const& error) {
  return is_sticky(error) || std::string_view(error.reason) != "runtime";
}

// What stands in the way of measuring a captured work within a graph.
struct Obstacle {
  std::string to_compose;  // it can still be launched
  std::string to_launch;
};

Obstacle obstacle_of(DeviceResult<NodeCensus> const& census) {
  Obstacle obstacle;
  if (!census) {
    obstacle.to_launch = census.error().text;
  } else if (census->is_empty()) {
    obstacle.to_launch =
        "the captured graph holds no work for the device: the call did it on another stream, on "
        "the host or not at all";
  } else if (census->host_calls > 0) {
    obstacle.to_compose = "the captured work calls the host";
  } else if (census->refused > 0) {
    obstacle.to_compose = "the captured work holds nodes that cannot be composed";
  }
  return obstacle;
}

// Every side names its own reason; one without says whose it shares.
void tell_fallback(std::vector<std::string> const& reasons, DeviceTimings* timings) {
  auto const first = std::find_if(reasons.begin(), reasons.end(),
                                  [](std::string const& reason) { return !reason.empty(); });
  if (first == reasons.end()) return;
  for (std::size_t i = 0; i < timings->size(); ++i) {
    (*timings)[i].fallback = reasons[i].empty() ? "like the other side: " + *first : reasons[i];
  }
}

bool is_any(std::vector<std::string> const& reasons) {
  return std::any_of(reasons.begin(), reasons.end(),
                     [](std::string const& reason) { return !reason.empty(); });
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
    engine->inside_missing_ = "the runtime gives no times for events in graphs";
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

DeviceResult<Calibration> Engine::calibrate(Handle stream) {
  return guarded(stream, [&]() -> DeviceResult<Calibration> {
    Calibration result;
    result.tick_ns = *tick_ns_;
    auto const clock = wait_for_steady_clock(*session_, stream);
    if (!clock) return tl::unexpected<DeviceError>(clock.error());
    result.clock_mhz = *clock;
    if (inside_missing_.empty()) {
      auto const null = nulls_.of_graph(stream, true);
      if (!null && is_sticky(null.error())) return tl::unexpected<DeviceError>(null.error());
      // It was tried, and this device does not do it.
      if (!null) inside_missing_ = null.error().text;
      if (null) result.graph_null = *null;
    }
    result.graph_missing = inside_missing_;
    if (inside_missing_.empty() && session_->has_device_code()) {
      OwnGraph kernel;
      ZL_TRY_DEVICE(kernel.create(*session_, OwnGraph::Content::empty_kernel));
      GraphSource source(*session_, kernel.get(), nullptr, {kMaxSamplesPerBurst, 1, true});
      auto const nop = measure_null(source, stream);
      if (!nop) return tl::unexpected<DeviceError>(nop.error());
      result.graph_nop = *nop;
    }
    auto const null = nulls_.of_direct(stream, true);
    if (!null) return tl::unexpected<DeviceError>(null.error());
    result.direct_null = *null;
    result.direct_mode =
        to_text(session_->flag() != nullptr ? DirectMode::blocked : DirectMode::preroll);
    return result;
  });
}

// Empty when they cannot all be measured as graphs; `reasons` then say why, of each work.
DeviceResult<DeviceTimings> Engine::measure_captured(std::vector<Work> const& works, Handle stream,
                                                     MeasureRequest const& request,
                                                     std::vector<std::string>* reasons) {
  auto const is_missing = [](Work const& work) { return work.graph == nullptr; };
  if (std::any_of(works.begin(), works.end(), is_missing)) {
    for (std::size_t i = 0; i < works.size(); ++i) (*reasons)[i] = works[i].no_graph;
    return DeviceTimings{};
  }
  std::vector<std::string> to_compose(works.size(), inside_missing_);
  std::vector<NodeCensus> censuses(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    auto const census = take_census(*session_, works[i].graph);
    if (!census && is_sticky(census.error())) return tl::unexpected<DeviceError>(census.error());
    Obstacle const obstacle = obstacle_of(census);
    (*reasons)[i] = obstacle.to_launch;
    if (!obstacle.to_compose.empty()) to_compose[i] = obstacle.to_compose;
    if (census) censuses[i] = *census;
  }
  if (is_any(*reasons)) return DeviceTimings{};
  DeviceResult<DeviceTimings> timings = DeviceTimings{};
  if (!is_any(to_compose)) {
    timings = measure_in_graph(bench(), works, stream, request);
    if (!timings && is_final(timings.error())) return timings;
    if (!timings) to_compose.assign(works.size(), timings.error().text);
  }
  if (is_any(to_compose)) timings = measure_launches(bench(), works, stream, request);
  if (!timings && is_final(timings.error())) return timings;
  if (!timings) {
    reasons->assign(works.size(), timings.error().text);
    return DeviceTimings{};
  }
  for (std::size_t i = 0; i < works.size(); ++i) (*timings)[i].census = censuses[i];
  tell_fallback(to_compose, &*timings);
  return timings;
}

DeviceResult<DeviceTimings> Engine::measure_by_calls(std::vector<Work> const& works, Handle stream,
                                                     MeasureRequest const& request,
                                                     std::vector<std::string> reasons,
                                                     DirectMode best) {
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (works[i].calls.call.call == nullptr) return device_fail("no_call", reasons[i]);
  }
  auto timings = measure_calls(bench(), works, stream, request, best);
  if (!timings) return timings;
  bool const is_blocked = starts_with(timings->front().caliber, to_text(DirectMode::blocked));
  if (!is_blocked && !is_any(reasons)) {
    reasons.assign(works.size(),
                   session_->flag() == nullptr
                       ? "the device cannot hold a stream"
                       : "a call waits for the device, or is too slow to be submitted ahead");
  }
  tell_fallback(reasons, &*timings);
  return timings;
}

DeviceResult<std::string> Engine::audit(DirectCalls const& calls, Handle stream) {
  return guarded(stream, [&]() -> DeviceResult<std::string> {
    auto const audit = audit_escape(*session_, calls, stream);
    if (!audit) return tl::unexpected<DeviceError>(audit.error());
    return to_text(*audit);
  });
}

DeviceResult<DeviceTimings> Engine::measure(std::vector<Work> const& works, Handle stream,
                                            MeasureRequest const& request) {
  return guarded(stream, [&]() -> DeviceResult<DeviceTimings> {
    std::vector<std::string> escapes(works.size());
    for (std::size_t i = 0; i < works.size(); ++i) {
      if (works[i].escape) escapes[i] = *works[i].escape;
      if (works[i].escape || works[i].calls.call.call == nullptr) continue;
      auto const audit = audit_escape(*session_, works[i].calls, stream);
      if (!audit) return tl::unexpected<DeviceError>(audit.error());
      escapes[i] = to_text(*audit);
    }
    if (is_any(escapes)) {
      auto timings = measure_by_calls(works, stream, request, escapes, DirectMode::sync);
      for (std::size_t i = 0; timings && i < works.size(); ++i) {
        if (!escapes[i].empty()) (*timings)[i].flags.emplace_back("escaped_work");
      }
      return timings;
    }
    std::vector<std::string> reasons(works.size());
    if (session_->runtime().features().graphs) {
      auto timings = measure_captured(works, stream, request, &reasons);
      if (!timings || !timings->empty()) return timings;
    }
    return measure_by_calls(works, stream, request, reasons, DirectMode::blocked);
  });
}

}  // namespace zl::timing
