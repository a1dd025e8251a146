#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "timing/caliber.h"
#include "timing/calibration.h"
#include "timing/census.h"
#include "timing/measure.h"

namespace zl::timing {

struct MeasureRequest {
  std::string id;  // names the measurement: the same id gives the same dither
  bool is_cold = true;
  double tau = 0;  // the usual change between runs, as a share; 0: not known
};

struct DeviceTiming {
  std::string caliber;
  Record record;
  Summary summary;
  std::size_t samples_per_burst = 1;
  std::optional<NodeCensus> census;  // of a graph
  std::string fallback;              // why it is not the best way of its timer; empty: it is
};

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
  // `work`: what was captured of exactly one call. Times it within a graph where the device can, by
  // launching it between events else.
  DeviceResult<DeviceTiming> measure_graph(Handle work, Handle stream,
                                           MeasureRequest const& request);
  // `call` submits to `stream`; it was called twice at least, and everything it needs is compiled.
  DeviceResult<DeviceTiming> measure_direct(TimedCall call, Handle stream,
                                            MeasureRequest const& request);

 private:
  Engine(std::unique_ptr<Session> session, MeasureParams params, DirectParams direct_params)
      : session_(std::move(session)), params_(params), direct_params_(direct_params) {}
  template <class Action>
  auto guarded(Handle stream, Action const& action) -> decltype(action());
  DeviceResult<void> check_stream(Handle stream);
  DeviceResult<void> ensure_tick(Handle stream);
  DeviceResult<NullInterval> graph_null(Handle stream, bool is_cold);
  DeviceResult<NullInterval> direct_null(Handle stream, bool is_cold);
  DeviceResult<NullInterval> outer_null(Handle stream, bool is_cold);
  DeviceResult<DeviceTiming> measure_inside(Handle work, Handle stream,
                                            MeasureRequest const& request);
  DeviceResult<DeviceTiming> measure_outside(Handle work, Handle stream,
                                             MeasureRequest const& request);
  DeviceResult<DeviceTiming> measure_calls(TimedCall call, Handle stream,
                                           MeasureRequest const& request, bool is_graph);
  BurstShape shape_for(double call_ns, bool is_cold) const;
  DeviceResult<DeviceTiming> finish(BurstSource& source, Handle stream,
                                    MeasureRequest const& request, BurstShape shape,
                                    double null_ns);
  Caliber caliber(std::string_view timer, bool is_cold) const;

  std::unique_ptr<Session> session_;
  MeasureParams params_;
  DirectParams direct_params_;
  std::optional<DeviceError> end_;
  std::optional<double> tick_ns_;
  std::map<std::pair<char, bool>, NullInterval> nulls_;  // by timer and coldness
  std::string inside_missing_;  // why events in graphs cannot be used; empty: they can
};

}  // namespace zl::timing
