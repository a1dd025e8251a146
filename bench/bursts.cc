#include "bursts.h"

#include <chrono>

namespace zl::bench {

using timing::DeviceError;

namespace {
constexpr std::size_t kReferenceSlot = kSlots - 1;
constexpr std::uint64_t kPause_ns = 20'000;
constexpr std::chrono::milliseconds kHoldLimit{300};
}  // namespace

DeviceResult<Sampled> read_samples(Lab const& lab, std::size_t samples) {
  Sampled sampled;
  for (std::size_t i = 0; i < samples; ++i) {
    auto const interval = lab.session().interval_ns(i);
    if (!interval) return tl::unexpected<DeviceError>(interval.error());
    sampled.intervals_ns.push_back(*interval);
  }
  auto slots = lab.slots();
  if (!slots) return tl::unexpected<DeviceError>(slots.error());
  sampled.slots = std::move(*slots);
  return sampled;
}

void GraphBurst::release() {
  if (exec_ != nullptr) lab_.api().graph_exec_destroy(exec_);
  if (graph_ != nullptr) lab_.api().graph_destroy(graph_);
  exec_ = nullptr;
  graph_ = nullptr;
}

DeviceResult<void> GraphBurst::add_event(Handle* after, Handle event) {
  Handle added = nullptr;
  ZL_TRY_DEVICE(lab_.check(
      lab_.api().graph_add_event(&added, graph_, after, *after == nullptr ? 0 : 1, event),
      "adding an event to a graph"));
  *after = added;
  return {};
}

// A child graph is copied when it is added.
DeviceResult<void> GraphBurst::add_work(Handle* after, Kernel const& kernel) {
  if (!recipe_.is_child) return lab_.add(graph_, after, kernel);
  Handle child = nullptr;
  ZL_TRY_DEVICE(lab_.check(lab_.api().graph_create(&child, 0), "creating a graph"));
  Handle node = nullptr;
  auto outcome = lab_.add(child, &node, kernel);
  if (outcome) {
    Handle added = nullptr;
    outcome = lab_.check(
        lab_.api().graph_add_child(&added, graph_, after, *after == nullptr ? 0 : 1, child),
        "adding a graph to a graph");
    *after = added;
  }
  lab_.api().graph_destroy(child);
  return outcome;
}

DeviceResult<void> GraphBurst::add_flush(Handle* after) {
  timing::Session const& session = lab_.session();
  bool const is_sized = recipe_.flush == Flush::sized_read || recipe_.flush == Flush::sized_memset;
  std::size_t const bytes = is_sized ? recipe_.flush_bytes : session.flush_bytes();
  switch (recipe_.flush) {
    case Flush::none:
      return {};
    case Flush::engine:
      return session.add_flush(graph_, after);
    case Flush::same_module:
    case Flush::sized_read:
      return lab_.add(graph_, after, lab_.flush_read(bytes));
    case Flush::memset:
    case Flush::sized_memset:
      break;
  }
  backend::MemsetNode const node{lab_.flush_memory(), 0, 0, 4, bytes / 4, 1};
  Handle context = nullptr;
  Handle added = nullptr;
  ZL_TRY_DEVICE(lab_.check(lab_.api().context_current(&context), "asking for the context"));
  ZL_TRY_DEVICE(lab_.check(
      lab_.api().graph_add_memset(&added, graph_, after, *after == nullptr ? 0 : 1, &node, context),
      "adding a memset to a graph"));
  *after = added;
  return {};
}

DeviceResult<void> GraphBurst::add_sample(Handle* after, std::size_t sample) {
  ZL_TRY_DEVICE(add_flush(after));
  if (recipe_.between == Between::nop) ZL_TRY_DEVICE(lab_.add(graph_, after, lab_.nop()));
  if (recipe_.between == Between::landing) ZL_TRY_DEVICE(lab_.add(graph_, after, lab_.landing()));
  if (recipe_.between == Between::pause) {
    ZL_TRY_DEVICE(lab_.add(graph_, after, lab_.spin_ns(kPause_ns, false)));
  }
  if (recipe_.between == Between::same_kernel) ZL_TRY_DEVICE(add_work(after, brief_(sample)));
  ZL_TRY_DEVICE(add_event(after, lab_.session().begin_event(sample)));
  for (std::size_t i = 0; i < recipe_.calls; ++i) ZL_TRY_DEVICE(add_work(after, work_(sample)));
  return add_event(after, lab_.session().end_event(sample));
}

DeviceResult<void> GraphBurst::compose(Recipe const& recipe, Work const& work, Work const& brief,
                                       std::size_t samples) {
  release();
  recipe_ = recipe;
  work_ = work;
  brief_ = brief;
  samples_ = samples;
  ZL_TRY_DEVICE(lab_.check(lab_.api().graph_create(&graph_, 0), "creating a graph"));
  Handle after = nullptr;
  ZL_TRY_DEVICE(lab_.session().add_stamp(graph_, &after, 0));
  for (std::size_t i = 0; i < samples; ++i) ZL_TRY_DEVICE(add_sample(&after, i));
  ZL_TRY_DEVICE(lab_.session().add_stamp(graph_, &after, 1));
  return lab_.check(backend::instantiate_graph(lab_.api(), &exec_, graph_),
                    "instantiating a graph");
}

DeviceResult<Sampled> GraphBurst::run() {
  ZL_TRY_DEVICE(lab_.check(lab_.api().graph_launch(exec_, lab_.stream()), "launching a graph"));
  ZL_TRY_DEVICE(lab_.synchronise());
  return collect(false);
}

DeviceResult<Sampled> GraphBurst::collect(bool has_reference) {
  auto sampled = read_samples(lab_, samples_);
  for (std::size_t i = 0; sampled && has_reference && i < samples_; ++i) {
    float ms = 0;
    ZL_TRY_DEVICE(lab_.check(
        lab_.api().event_elapsed(&ms, lab_.reference_event(), lab_.session().begin_event(i)),
        "reading the time since the reference"));
    sampled->begins_ns.push_back(1e6 * static_cast<double>(ms));
  }
  return sampled;
}

DeviceResult<Sampled> GraphBurst::run_after_reference() {
  timing::Session const& session = lab_.session();
  std::uint32_t const value = *session.flag() + 1;
  timing::Watchdog watchdog(session.flag());
  ZL_TRY_DEVICE(session.wait_for_flag(lab_.stream(), value));
  watchdog.arm(value, kHoldLimit);
  auto const queue = [&]() -> DeviceResult<void> {
    for (int i = 0; i < 3; ++i) {
      ZL_TRY_DEVICE(lab_.launch(lab_.spin_timed(1, 1, kReferenceSlot)));
    }
    ZL_TRY_DEVICE(lab_.check(lab_.api().event_record(lab_.reference_event(), lab_.stream()),
                             "recording an event"));
    ZL_TRY_DEVICE(lab_.launch(lab_.spin_timed(1, 1, kReferenceSlot)));
    return lab_.check(lab_.api().graph_launch(exec_, lab_.stream()), "launching a graph");
  };
  auto const queued = queue();
  watchdog.release();
  auto const done = lab_.synchronise();
  ZL_TRY_DEVICE(queued);
  ZL_TRY_DEVICE(done);
  return collect(true);
}

DeviceResult<void> DirectBurst::submit(Recipe const& recipe, Work const& work, Work const& brief,
                                       std::size_t samples) {
  timing::Session const& session = lab_.session();
  ZL_TRY_DEVICE(session.stamp(lab_.stream(), 0));
  for (std::size_t i = 0; i < samples; ++i) {
    if (recipe.flush == Flush::engine) ZL_TRY_DEVICE(session.flush(lab_.stream()));
    if (recipe.flush == Flush::same_module) {
      ZL_TRY_DEVICE(lab_.launch(lab_.flush_read(session.flush_bytes())));
    }
    if (recipe.flush == Flush::memset) {
      ZL_TRY_DEVICE(lab_.check(
          lab_.api().memset_async(lab_.flush_memory(), 0, session.flush_bytes() / 4, lab_.stream()),
          "flushing by memset"));
    }
    if (recipe.between == Between::nop) ZL_TRY_DEVICE(lab_.launch(lab_.nop()));
    if (recipe.between == Between::landing) ZL_TRY_DEVICE(lab_.launch(lab_.landing()));
    if (recipe.between == Between::pause) {
      ZL_TRY_DEVICE(lab_.launch(lab_.spin_ns(kPause_ns, false)));
    }
    if (recipe.between == Between::same_kernel) ZL_TRY_DEVICE(lab_.launch(brief(i)));
    ZL_TRY_DEVICE(lab_.check(lab_.api().event_record(session.begin_event(i), lab_.stream()),
                             "recording an event"));
    for (std::size_t call = 0; call < recipe.calls; ++call) ZL_TRY_DEVICE(lab_.launch(work(i)));
    ZL_TRY_DEVICE(lab_.check(lab_.api().event_record(session.end_event(i), lab_.stream()),
                             "recording an event"));
  }
  return session.stamp(lab_.stream(), 1);
}

DeviceResult<Sampled> DirectBurst::run(Recipe const& recipe, Work const& work, Work const& brief,
                                       std::size_t samples, int attempts) {
  timing::Session const& session = lab_.session();
  std::uint32_t const value = *session.flag() + 1;
  ZL_TRY_DEVICE(session.wait_for_flag(lab_.stream(), value));
  watchdog_.arm(value, kHoldLimit);
  auto const submitted = submit(recipe, work, brief, samples);
  bool const is_early = watchdog_.release();
  auto const done = lab_.synchronise();
  ZL_TRY_DEVICE(submitted);
  ZL_TRY_DEVICE(done);
  if (is_early && attempts > 1) return run(recipe, work, brief, samples, attempts - 1);
  if (is_early) return timing::device_fail("runtime", "the stream was released early");
  return read_samples(lab_, samples);
}

}  // namespace zl::bench
