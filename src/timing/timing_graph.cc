#include "timing/timing_graph.h"

#include "base/result.h"

namespace zl::timing {

namespace {

// One instantiation differs from the next by some 100 ns a sample, and keeps that to its end
// (docs/measuring.md, "states"): each burst of a visit has an own one, up to this many.
constexpr std::size_t kInstances = 128;
// With fewer samples a burst they are too long for that to count.
constexpr std::size_t kLeastSamples = 16;

}  // namespace

GraphSource::~GraphSource() {
  release();
  if (graph_ != nullptr) session_.api().graph_destroy(graph_);
}

void GraphSource::release() {
  for (Handle exec : execs_) session_.api().graph_exec_destroy(exec);
  execs_.clear();
}

DeviceResult<void> GraphSource::add_event(Handle* after, Handle event) {
  Handle added = nullptr;
  ZL_TRY_DEVICE(session_.check(
      session_.api().graph_add_event(&added, graph_, after, *after == nullptr ? 0 : 1, event),
      "adding an event to a graph"));
  *after = added;
  return {};
}

DeviceResult<void> GraphSource::add_child(Handle* after, Handle child) {
  Handle added = nullptr;
  std::size_t const count = *after == nullptr ? 0 : 1;
  ZL_TRY_DEVICE(session_.check(session_.api().graph_add_child(&added, graph_, after, count, child),
                               "adding captured work to a graph"));
  *after = added;
  return {};
}

DeviceResult<void> GraphSource::add_sample(Handle* after, std::size_t sample) {
  if (restore_ != nullptr) ZL_TRY_DEVICE(add_child(after, restore_));
  if (shape_.is_cold) {
    ZL_TRY_DEVICE(session_.add_flush(graph_, after));
    ZL_TRY_DEVICE(session_.add_nop(graph_, after));
  }
  ZL_TRY_DEVICE(add_event(after, session_.begin_event(sample)));
  for (std::size_t i = 0; i < shape_.calls_per_sample; ++i) ZL_TRY_DEVICE(add_child(after, work_));
  return add_event(after, session_.end_event(sample));
}

DeviceResult<void> GraphSource::compose() {
  ZL_TRY_DEVICE(session_.check(session_.api().graph_create(&graph_, 0), "creating a graph"));
  Handle after = nullptr;
  ZL_TRY_DEVICE(session_.add_stamp(graph_, &after, 0));
  for (std::size_t i = 0; i < shape_.samples; ++i) ZL_TRY_DEVICE(add_sample(&after, i));
  return session_.add_stamp(graph_, &after, 1);
}

// What it takes to bring it to the device is not to be in a burst.
DeviceResult<void> GraphSource::add_instance(Handle stream) {
  Handle exec = nullptr;
  ZL_TRY_DEVICE(session_.check(backend::instantiate_graph(session_.api(), &exec, graph_),
                               "instantiating the timing graph"));
  execs_.push_back(exec);
  auto const& api = session_.api();
  if (api.graph_upload == nullptr) return launch(exec, stream);
  ZL_TRY_DEVICE(session_.check(api.graph_upload(exec, stream), "uploading the timing graph"));
  return session_.check(api.stream_synchronize(stream), "uploading the timing graph");
}

DeviceResult<void> GraphSource::launch(Handle exec, Handle stream) {
  ZL_TRY_DEVICE(
      session_.check(session_.api().graph_launch(exec, stream), "launching the timing graph"));
  return session_.check(session_.api().stream_synchronize(stream), "the timing graph");
}

DeviceResult<void> GraphSource::begin_visit() {
  ZL_CHECK(shape_.samples >= 1 && shape_.samples <= kMaxSamplesPerBurst, "a burst has samples");
  session_.free_cache();
  release();
  next_ = 0;
  return graph_ == nullptr ? compose() : DeviceResult<void>();
}

// A new instance until there are enough, then one after the other.
DeviceResult<Handle> GraphSource::next_exec(Handle stream) {
  std::size_t const wanted = shape_.samples >= kLeastSamples ? kInstances : 1;
  if (execs_.size() < wanted) {
    ZL_TRY_DEVICE(add_instance(stream));
    return execs_.back();
  }
  return execs_[next_++ % wanted];
}

DeviceResult<Burst> GraphSource::run(Handle stream) {
  auto const exec = next_exec(stream);
  if (!exec) return tl::unexpected<DeviceError>(exec.error());
  Burst burst;
  session_.clear_stamps();
  auto const epoch = session_.host().epoch();
  std::int64_t const begin_ns = session_.host().now_ns();
  ZL_TRY_DEVICE(launch(*exec, stream));
  std::int64_t const end_ns = session_.host().now_ns();
  burst.start_ns = static_cast<double>(begin_ns);
  burst.wall_ns = static_cast<double>(end_ns - begin_ns);
  burst.device_ns = burst.wall_ns;
  burst.evidence.is_epoch_changed = session_.host().epoch() != epoch;
  burst.evidence.clock_mhz = session_.clock_mhz();
  ZL_TRY_DEVICE(session_.read_intervals(shape_.samples, &burst.intervals_ns));
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
