#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "timing/work.h"

namespace zl::timing {

struct Calibration {
  double tick_ns = 0;
  double clock_mhz = 0;  // at the end of the clock gate; 0: not known
  std::optional<NullInterval> graph_null;
  std::string graph_missing;              // why there is no graph_null
  std::optional<NullInterval> graph_nop;  // an empty kernel, with the null in it
  std::optional<NullInterval> direct_null;
  std::string direct_mode;
};

// Takes device times on one device. After an error that is sticky every call gives that error: the
// process is to be left.
class Engine {
 public:
  static DeviceResult<std::unique_ptr<Engine>> open(backend::DeviceRuntime runtime,
                                                    HostEnvironment host, int device,
                                                    MeasureParams params,
                                                    DirectParams direct_params);

  Session const& session() const { return *session_; }
  DeviceResult<Calibration> calibrate(Handle stream);
  // Where the work of a call goes that its stream does not wait for; empty: nowhere. The caller may
  // ask while it is in the call's context anyway, measure() enters it for that.
  DeviceResult<std::string> audit(DirectCalls const& calls, Handle stream);
  // All works in the same way and within the same visits: in a graph where all were captured and
  // the device can, as launches of their graphs, else call by call.
  DeviceResult<DeviceTimings> measure(std::vector<Work> const& works, Handle stream,
                                      MeasureRequest const& request);

 private:
  Engine(std::unique_ptr<Session> session, MeasureParams params, DirectParams direct_params)
      : session_(std::move(session)),
        params_(params),
        direct_params_(direct_params),
        nulls_(*session_, direct_params) {}
  template <class Action>
  auto guarded(Handle stream, Action const& action) -> decltype(action());
  DeviceResult<void> check_stream(Handle stream);
  DeviceResult<void> ensure_tick(Handle stream);
  Bench bench() { return {*session_, nulls_, params_, direct_params_, *tick_ns_}; }
  DeviceResult<DeviceTimings> measure_captured(std::vector<Work> const& works, Handle stream,
                                               MeasureRequest const& request,
                                               std::vector<std::string>* reasons);
  DeviceResult<DeviceTimings> measure_by_calls(std::vector<Work> const& works, Handle stream,
                                               MeasureRequest const& request,
                                               std::vector<std::string> reasons, DirectMode best);

  std::unique_ptr<Session> session_;
  MeasureParams params_;
  DirectParams direct_params_;
  std::optional<DeviceError> end_;
  std::optional<double> tick_ns_;
  Nulls nulls_;
  std::string inside_missing_;  // why events in graphs cannot be used; empty: they can
};

}  // namespace zl::timing
