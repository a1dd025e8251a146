#pragma once

#include <memory>

#include "timing/burst.h"
#include "timing/session.h"

namespace zl::timing {

// Where bursts of one way of measuring come from.
class BurstSource {
 public:
  virtual ~BurstSource() = default;
  // Once before each visit.
  virtual DeviceResult<void> prepare() = 0;
  virtual DeviceResult<Burst> run(Handle stream) = 0;
};

struct BurstShape {
  std::size_t samples = 1;           // up to kMaxSamplesPerBurst
  std::size_t calls_per_sample = 1;  // more than one only when warm
  bool is_cold = true;
};

// flush, event, work, event, flush, event, ... as one graph: a launch is a burst. Nothing but the
// work stands between the events of a sample, and the host takes no part. prepare() composes it
// anew, so that each visit has memory of its own.
class GraphSource : public BurstSource {
 public:
  // `work` is the graph of one call and must live as long as this.
  GraphSource(Session const& session, Handle work, BurstShape shape)
      : session_(session), work_(work), shape_(shape) {}
  ~GraphSource() override;
  DeviceResult<void> prepare() override;
  DeviceResult<Burst> run(Handle stream) override;

 private:
  DeviceResult<void> compose();
  DeviceResult<void> add_sample(Handle* after, std::size_t sample);
  DeviceResult<void> add_event(Handle* after, Handle event);
  void release();

  Session const& session_;
  Handle work_;
  BurstShape shape_;
  // The graph outlives what was instantiated from it: not every runtime copies it.
  Handle graph_ = nullptr;
  Handle exec_ = nullptr;
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
