#include "timing/nulls.h"

#include "timing/timing_graph.h"

namespace zl::timing {

namespace {

// On a stream an event that follows an event has two states some 300 ns apart, which change with
// what was submitted before; an event that follows work has not (docs/measuring.md). The lower one
// is what a graph shows as well.
constexpr int kLooks = 4;

int do_nothing(void* /*state*/) {
  return 0;
}

}  // namespace

LaunchableGraph::~LaunchableGraph() {
  if (exec_ != nullptr) session_.api().graph_exec_destroy(exec_);
}

DeviceResult<void> LaunchableGraph::instantiate(Handle graph, Handle stream) {
  stream_ = stream;
  return session_.check(backend::instantiate_graph(session_.api(), &exec_, graph),
                        "instantiating a graph");
}

int LaunchableGraph::launch(void* self) {
  auto& graph = *static_cast<LaunchableGraph*>(self);
  graph.outcome_ = graph.session_.check(
      graph.session_.api().graph_launch(graph.exec_, graph.stream_), "launching a graph");
  return graph.outcome_ ? 0 : 1;
}

template <class Measure>
DeviceResult<NullInterval> Nulls::once(char kind, bool is_cold, Measure const& measure) {
  auto const key = std::pair(kind, is_cold);
  if (auto const found = known_.find(key); found != known_.end()) return found->second;
  DeviceResult<NullInterval> const null = measure();
  if (null) known_[key] = *null;
  return null;
}

DeviceResult<NullInterval> Nulls::of_graph(Handle stream, bool is_cold) {
  return once('g', is_cold, [&]() -> DeviceResult<NullInterval> {
    OwnGraph nothing;
    ZL_TRY_DEVICE(nothing.create(session_, OwnGraph::Content::nothing));
    GraphSource source(session_, nothing.get(), nullptr, {kMaxSamplesPerBurst, 1, is_cold});
    return measure_null(source, stream);
  });
}

DeviceResult<NullInterval> Nulls::of_calls(TimedCall call, Handle stream, bool is_cold) {
  DirectSource source(session_, {call, {}, {}, {}}, {kMaxSamplesPerBurst, 1, is_cold}, params_);
  ZL_TRY_DEVICE(source.settle(stream));
  DeviceResult<NullInterval> least = measure_null(source, stream);
  for (int i = 1; i < kLooks && least; ++i) {
    // One command more, so that the next look does not begin where the last one did.
    ZL_TRY_DEVICE(session_.check(session_.api().event_record(session_.begin_event(0), stream),
                                 "recording an event"));
    auto const null = measure_null(source, stream);
    if (!null || null->median_ns < least->median_ns) least = null;
  }
  return least;
}

DeviceResult<NullInterval> Nulls::of_direct(Handle stream, bool is_cold) {
  return once('d', is_cold, [&] { return of_calls({&do_nothing, nullptr}, stream, is_cold); });
}

DeviceResult<NullInterval> Nulls::of_launch(Handle stream, bool is_cold) {
  return once('l', is_cold, [&]() -> DeviceResult<NullInterval> {
    OwnGraph nothing;
    ZL_TRY_DEVICE(nothing.create(session_, OwnGraph::Content::nothing));
    LaunchableGraph launchable(session_);
    ZL_TRY_DEVICE(launchable.instantiate(nothing.get(), stream));
    return of_calls(launchable.call(), stream, is_cold);
  });
}

}  // namespace zl::timing
