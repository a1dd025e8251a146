#include "timing/timing_graph.h"

#include "base/result.h"

namespace zl::timing {

GraphSource::~GraphSource() {
  release();
}

void GraphSource::release() {
  if (exec_ != nullptr) session_.api().graph_exec_destroy(exec_);
  if (graph_ != nullptr) session_.api().graph_destroy(graph_);
  exec_ = nullptr;
  graph_ = nullptr;
}

DeviceResult<void> GraphSource::add_event(Handle* after, Handle event) {
  Handle added = nullptr;
  ZL_TRY_DEVICE(session_.check(
      session_.api().graph_add_event(&added, graph_, after, *after == nullptr ? 0 : 1, event),
      "adding an event to a graph"));
  *after = added;
  return {};
}

DeviceResult<void> GraphSource::add_sample(Handle* after, std::size_t sample) {
  if (shape_.is_cold) ZL_TRY_DEVICE(session_.add_flush(graph_, after));
  ZL_TRY_DEVICE(add_event(after, session_.begin_event(sample)));
  for (std::size_t i = 0; i < shape_.calls_per_sample; ++i) {
    Handle added = nullptr;
    ZL_TRY_DEVICE(session_.check(session_.api().graph_add_child(&added, graph_, after, 1, work_),
                                 "adding the captured work to a graph"));
    *after = added;
  }
  return add_event(after, session_.end_event(sample));
}

DeviceResult<void> GraphSource::compose() {
  Handle after = nullptr;
  ZL_TRY_DEVICE(session_.add_stamp(graph_, &after, 0));
  for (std::size_t i = 0; i < shape_.samples; ++i) ZL_TRY_DEVICE(add_sample(&after, i));
  ZL_TRY_DEVICE(session_.add_stamp(graph_, &after, 1));
  return session_.check(backend::instantiate_graph(session_.api(), &exec_, graph_),
                        "instantiating the timing graph");
}

DeviceResult<void> GraphSource::prepare() {
  ZL_CHECK(shape_.samples >= 1 && shape_.samples <= kMaxSamplesPerBurst, "a burst has samples");
  release();
  ZL_TRY_DEVICE(session_.check(session_.api().graph_create(&graph_, 0), "creating a graph"));
  auto composed = compose();
  if (!composed) release();
  return composed;
}

DeviceResult<Burst> GraphSource::run(Handle stream) {
  Burst burst;
  session_.clear_stamps();
  auto const epoch = session_.host().epoch();
  std::int64_t const begin_ns = session_.host().now_ns();
  ZL_TRY_DEVICE(
      session_.check(session_.api().graph_launch(exec_, stream), "launching the timing graph"));
  ZL_TRY_DEVICE(session_.check(session_.api().stream_synchronize(stream), "the timing graph"));
  std::int64_t const end_ns = session_.host().now_ns();
  burst.start_ns = static_cast<double>(begin_ns);
  burst.wall_ns = static_cast<double>(end_ns - begin_ns);
  burst.device_ns = burst.wall_ns;
  burst.evidence.is_epoch_changed = session_.host().epoch() != epoch;
  burst.evidence.clock_mhz = session_.clock_mhz();
  for (std::size_t i = 0; i < shape_.samples; ++i) {
    auto const interval = session_.interval_ns(i);
    if (!interval) return tl::unexpected<DeviceError>(interval.error());
    burst.intervals_ns.push_back(*interval);
  }
  return burst;
}

OwnGraph::~OwnGraph() {
  if (graph_ != nullptr) session_->api().graph_destroy(graph_);
}

DeviceResult<void> OwnGraph::create(Session const& session, Content content) {
  session_ = &session;
  ZL_TRY_DEVICE(session.check(session.api().graph_create(&graph_, 0), "creating a graph"));
  Handle node = nullptr;
  if (content == Content::empty_kernel) return session.add_nop(graph_, &node);
  return session.check(session.api().graph_add_empty(&node, graph_, nullptr, 0),
                       "adding an empty node to a graph");
}

}  // namespace zl::timing
