#pragma once

#include <map>
#include <string>
#include <utility>

#include "timing/calibration.h"
#include "timing/direct_source.h"

namespace zl::timing {

// What each way of measuring shows when there is nothing to measure, taken once a process when it
// is first asked for.
class Nulls {
 public:
  Nulls(Session const& session, DirectParams params) : session_(session), params_(params) {}
  DeviceResult<NullInterval> of_graph(Handle stream, bool is_cold);   // event nodes in a graph
  DeviceResult<NullInterval> of_direct(Handle stream, bool is_cold);  // events on a stream
  DeviceResult<NullInterval> of_launch(Handle stream, bool is_cold);  // of an empty graph, there

 private:
  template <class Measure>
  DeviceResult<NullInterval> once(char kind, bool is_cold, Measure const& measure);
  DeviceResult<NullInterval> of_calls(TimedCall call, Handle stream, bool is_cold);

  Session const& session_;
  DirectParams params_;
  std::map<std::pair<char, bool>, NullInterval> known_;
};

// A graph made ready to launch, and destroyed at the end.
class LaunchableGraph {
 public:
  explicit LaunchableGraph(Session const& session) : session_(session) {}
  ~LaunchableGraph();
  LaunchableGraph(LaunchableGraph const&) = delete;
  LaunchableGraph& operator=(LaunchableGraph const&) = delete;
  DeviceResult<void> instantiate(Handle graph, Handle stream);
  // Submits one launch to the stream; lives as long as this.
  TimedCall call() { return {&LaunchableGraph::launch, this}; }
  DeviceResult<void> const& outcome() const { return outcome_; }  // of the last launch

 private:
  static int launch(void* self);
  Session const& session_;
  Handle exec_ = nullptr;
  Handle stream_ = nullptr;
  DeviceResult<void> outcome_;
};

}  // namespace zl::timing
