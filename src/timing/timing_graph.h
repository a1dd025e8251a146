#pragma once

#include "timing/burst_source.h"
#include "timing/session.h"

namespace zl::timing {

// restore, flush, event, work, event, restore, flush, ... as one graph: a launch is a burst.
// Nothing but the work stands between the events of a sample, and the host takes no part.
// Each burst of a visit has an instance of its own.
class GraphSource : public BurstSource {
 public:
  // `work` is the graph of one call, `restore` what puts back what a call changes, null where that
  // is nothing. Both must live as long as this.
  GraphSource(Session const& session, Handle work, Handle restore, BurstShape shape)
      : session_(session), work_(work), restore_(restore), shape_(shape) {}
  ~GraphSource() override;
  DeviceResult<void> begin_visit() override;
  DeviceResult<Burst> run(Handle stream) override;

 private:
  DeviceResult<void> compose();
  DeviceResult<void> add_instance(Handle stream);
  DeviceResult<void> add_sample(Handle* after, std::size_t sample);
  DeviceResult<void> add_event(Handle* after, Handle event);
  DeviceResult<void> add_child(Handle* after, Handle child);
  DeviceResult<Handle> next_exec(Handle stream);
  DeviceResult<void> launch(Handle exec, Handle stream);
  void release();

  Session const& session_;
  Handle work_;
  Handle restore_;
  BurstShape shape_;
  Handle graph_ = nullptr;     // outlives its instances: not every runtime copies it
  std::vector<Handle> execs_;  // all alive, so that each has a place of its own
  std::size_t next_ = 0;
};

// A graph of this engine's own, for calibration.
class OwnGraph {
 public:
  OwnGraph() = default;
  ~OwnGraph();
  OwnGraph(OwnGraph const&) = delete;
  OwnGraph& operator=(OwnGraph const&) = delete;
  enum class Content { nothing, empty_kernel };
  DeviceResult<void> create(Session const& session, Content content);
  Handle get() const { return graph_; }

 private:
  Session const* session_ = nullptr;
  Handle graph_ = nullptr;
};

}  // namespace zl::timing
