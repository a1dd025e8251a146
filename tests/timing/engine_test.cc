#include "timing/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_runtime.h"
#include "timing/engine_json.h"
#include "timing/record_json.h"

namespace zl::timing {
namespace {

using backend::StatusClass;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

char stream_mark;
char other_stream_mark;
Handle const kStream = &stream_mark;

HostEnvironment fake_host() {
  return {[] { return fake::host_ns(); }, [](std::int64_t ns) { fake::pass_host_time(ns); },
          [] { return std::uint64_t{0}; }};
}

backend::DeviceRuntime fake_runtime() {
  backend::DeviceRuntime runtime;
  runtime.api = fake::api();
  runtime.family = &backend::runtime_families().front();
  return runtime;
}

struct Options {
  backend::DeviceRuntime runtime = fake_runtime();
  HostEnvironment host = fake_host();
  DirectParams direct = {.watchdog_ns = 5e6};
};

// A device with its script, and an engine on it.
class EngineTest : public testing::Test {
 protected:
  Engine& open(fake::Script script, Options options = {}) {
    fake::reset(std::move(script));
    auto opened = Engine::open(options.runtime, options.host, 0, {}, options.direct);
    EXPECT_TRUE(opened) << opened.error().text;
    engine_ = std::move(*opened);
    return *engine_;
  }

  void TearDown() override {
    for (Handle const graph : graphs_) fake::api().graph_destroy(graph);
    engine_.reset();
    EXPECT_EQ(fake::live_handles(), 0u);
  }

  Handle graph(int kernels, int extra_type = -1) {
    graphs_.push_back(fake::captured_graph(kernels, extra_type));
    return graphs_.back();
  }

  std::unique_ptr<Engine> engine_;
  std::vector<Handle> graphs_;
};

Work captured(Handle graph) {
  Work work;
  work.id = "op/shape";
  work.graph = graph;
  return work;
}
Work called(int (*call)(void*), void* state = nullptr) {
  Work work;
  work.id = "op/shape";
  work.calls.call = {call, state};
  return work;
}

DeviceResult<DeviceTiming> measure(Engine& engine, Work const& work, bool is_cold = true) {
  auto timings = engine.measure({work}, kStream, {is_cold, 0});
  if (!timings) return tl::unexpected<DeviceError>(timings.error());
  return timings->front();
}

int launch_work(void*) {
  return fake::api().launch(fake::work_kernel(), 1, 1, 1, 1, 1, 1, 0, kStream, nullptr, nullptr);
}
int launch_work_slowly(void*) {
  fake::pass_host_time(50'000);
  return launch_work(nullptr);
}
int launch_and_wait(void*) {
  launch_work(nullptr);
  return fake::api().stream_synchronize(kStream);
}

TEST_F(EngineTest, TimesTheWorkAloneWithinAGraph) {
  Engine& engine = open({.work_ns = 20'010, .jitter = 0.002});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "graph-evt/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
  EXPECT_NEAR(timing->record.null_ns, 800, 32);
  EXPECT_EQ(timing->record.tick_ns, 32);
  EXPECT_EQ(timing->summary.visit_values_ns.size(), 2u);
  EXPECT_EQ(timing->summary.bursts, 16u);
  EXPECT_EQ(timing->samples_per_burst, 32u);
  EXPECT_NEAR(timing->summary.clock_mhz, 1980, 1);
  EXPECT_EQ(timing->census->kernels, 1u);
  EXPECT_THAT(timing->summary.flags, ElementsAre());
  EXPECT_EQ(timing->fallback, "");
}

TEST_F(EngineTest, TheFlushIsNotInTheTime) {
  Engine& engine = open({.work_ns = 20'010, .flush_ns = 300'000});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
  EXPECT_EQ(timing->samples_per_burst, 9u);  // 3 ms of both
}

TEST_F(EngineTest, AWarmSampleIsManyCalls) {
  Engine& engine = open({.work_ns = 5'003});
  auto const timing = measure(engine, captured(graph(1)), false);
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "graph-evt/warm/net/burst/v1");
  EXPECT_NEAR(static_cast<double>(timing->record.calls_per_sample), 10, 1);  // 50 us
  EXPECT_NEAR(timing->summary.median_ns, 5'003, 3);
}

TEST_F(EngineTest, SaysWhenTheTickIsCoarseForTheValue) {
  Engine& engine = open({.work_ns = 3'000, .jitter = 0.02});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_THAT(timing->summary.flags, Contains("tick_limited"));
  EXPECT_NEAR(timing->summary.median_ns, 3'000, 15);
}

TEST_F(EngineTest, CalibrationTellsTickNullAndClock) {
  Engine& engine = open({.event_ns = 1'600, .tick_ns = 32, .clock_mhz = 1500});
  auto const calibration = engine.calibrate(kStream);
  ASSERT_TRUE(calibration) << calibration.error().text;
  EXPECT_EQ(calibration->tick_ns, 32);
  EXPECT_NEAR(calibration->graph_null->median_ns, 1'600, 32);
  EXPECT_NEAR(calibration->direct_null->median_ns, 1'600, 32);
  EXPECT_EQ(calibration->direct_mode, "direct-blk");
  EXPECT_NEAR(calibration->clock_mhz, 1500, 2);
}

// ---- ways down from graph-evt ----

TEST_F(EngineTest, WithoutEventNodesTheGraphIsTimedFromOutside) {
  Options options;
  options.runtime.api.graph_add_event = nullptr;
  Engine& engine = open({.work_ns = 20'010}, options);
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "graph-outer/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
  EXPECT_THAT(timing->fallback, HasSubstr("no times for events in graphs"));
}

TEST_F(EngineTest, EventNodesWithoutTimesAreFoundOut) {
  Engine& engine = open({.work_ns = 20'010, .has_event_times_in_graphs = false});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "graph-outer/cold-clean2x/net/burst/v1");
  EXPECT_THAT(timing->fallback, HasSubstr("reading the time between two events"));
}

TEST_F(EngineTest, AChildThatIsRefusedIsTimedFromOutside) {
  Engine& engine = open({.failures = {{"GraphAddChildGraphNode", {801}}}});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_THAT(timing->caliber, HasSubstr("graph-outer/"));
}

TEST_F(EngineTest, NodesThatCannotBeComposedAreNotTried) {
  for (int const type : {3, 10, 11, 13}) {
    Engine& engine = open({});
    auto const timing = measure(engine, captured(graph(1, type)));
    ASSERT_TRUE(timing) << timing.error().text;
    EXPECT_THAT(timing->caliber, HasSubstr("graph-outer/")) << type;
    EXPECT_THAT(fake::calls(), Not(Contains("GraphAddEventRecordNode"))) << type;
    for (Handle const made : graphs_) fake::api().graph_destroy(made);
    graphs_.clear();
    engine_.reset();
  }
}

TEST_F(EngineTest, AGraphThatCannotBeInstantiatedIsTimedCallByCall) {
  Engine& engine = open({});
  fake::script().failures["GraphInstantiateWithFlags"] = {2, true};
  Work work = captured(graph(1));
  work.calls.call = {launch_work, nullptr};
  auto const timing = measure(engine, work);
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "direct-blk/cold-clean2x/net/burst/v1");
  EXPECT_THAT(timing->fallback, HasSubstr("instantiating"));
}

TEST_F(EngineTest, AGraphWithoutWorkIsFalse) {
  Engine& engine = open({});
  auto const timing = measure(engine, captured(graph(0, 5)));
  ASSERT_FALSE(timing);
  EXPECT_STREQ(timing.error().reason, "no_call");
  EXPECT_THAT(timing.error().text, HasSubstr("holds no work for the device"));
}

// ---- two sides ----

TEST_F(EngineTest, BurstsOfTwoSidesAlternate) {
  Engine& engine = open({});
  auto const timings = engine.measure({captured(graph(1)), captured(graph(3))}, kStream, {});
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_NEAR((*timings)[1].summary.median_ns, 3 * (*timings)[0].summary.median_ns, 20);
  auto const& first = (*timings)[0].record.visits.at(0).bursts;
  auto const& second = (*timings)[1].record.visits.at(0).bursts;
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 1; i < first.size(); ++i) {
    EXPECT_LT(first[i - 1].start_ns, second[i - 1].start_ns);
    EXPECT_LT(second[i - 1].start_ns, first[i].start_ns);
  }
  // In the second visit the other one begins.
  EXPECT_GT((*timings)[0].record.visits.at(1).bursts.at(0).start_ns,
            (*timings)[1].record.visits.at(1).bursts.at(0).start_ns);
}

TEST_F(EngineTest, OneSideWithoutAGraphTakesTheOtherWithIt) {
  Engine& engine = open({.work_ns = 20'010});
  Work both = captured(graph(1));
  both.calls.call = {launch_work, nullptr};
  Work direct = called(launch_work);
  direct.no_graph = "capture failed: no";
  auto const timings = engine.measure({both, direct}, kStream, {});
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_EQ((*timings)[0].caliber, (*timings)[1].caliber);
  EXPECT_EQ((*timings)[0].caliber, "direct-blk/cold-clean2x/net/burst/v1");
  EXPECT_EQ((*timings)[0].fallback, "like the other side: capture failed: no");
  EXPECT_EQ((*timings)[1].fallback, "capture failed: no");
}

TEST_F(EngineTest, OneSideThatWaitsTakesTheOtherWithIt) {
  Engine& engine = open({});
  auto const timings = engine.measure({called(launch_work), called(launch_and_wait)}, kStream, {});
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_EQ((*timings)[0].caliber, "direct-sync/cold-clean2x/raw/burst/v1");
  EXPECT_EQ((*timings)[1].caliber, (*timings)[0].caliber);
}

struct Context {
  int depth = 0;
  int entered = 0;
  bool has_overlapped = false;
};
int in_context(void* state) {
  return static_cast<Context*>(state)->depth == 1 ? launch_work(nullptr) : 1;
}
int enter_context(void* state) {
  auto& self = *static_cast<Context*>(state);
  ++self.entered;
  return ++self.depth == 1 ? 0 : 1;
}
int leave_context(void* state) {
  --static_cast<Context*>(state)->depth;
  return 0;
}

TEST_F(EngineTest, ACallIsMadeWithinItsContextOnly) {
  Engine& engine = open({});
  Context context;
  Work work = called(in_context, &context);
  work.calls.enter = {enter_context, &context};
  work.calls.leave = {leave_context, &context};
  auto const timings = engine.measure({called(launch_work), work}, kStream, {});
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_EQ(context.depth, 0);
  EXPECT_LT(context.entered, 12);  // a visit at a time: entering may be slow
}

TEST_F(EngineTest, WhatACallChangesIsPutBackBeforeEachSample) {
  Engine& engine = open({.work_ns = 20'010});
  struct State {
    bool is_fresh = false;
  } state;
  Work work = called(
      [](void* pointer) {
        bool const was_fresh = std::exchange(static_cast<State*>(pointer)->is_fresh, false);
        fake::script().work_ns = was_fresh ? 20'010 : 30'000;
        return launch_work(nullptr);
      },
      &state);
  work.calls.prepare = {[](void* pointer) {
                          static_cast<State*>(pointer)->is_fresh = true;
                          return launch_work_slowly(nullptr);
                        },
                        &state};
  auto const timing = measure(engine, work);
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
}

TEST_F(EngineTest, WhatPutsBackIsNotInTheTimeOfAGraph) {
  Engine& engine = open({.work_ns = 20'010});
  Work work = captured(graph(1));
  work.restore = graph(3);
  auto const timing = measure(engine, work);
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "graph-evt/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
}

TEST_F(EngineTest, ACallWithoutWorkForTheDeviceIsFlagged) {
  Engine& engine = open({});
  auto const timing = measure(engine, called([](void*) { return 0; }));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_THAT(timing->flags, ElementsAre("host_only"));
}

TEST_F(EngineTest, TheDeviceIdlesAsLongAsTheCallsTookAndNotTheFlushes) {
  double slept_ns = 0;
  Options options;
  options.host.sleep_ns = [&](std::int64_t ns) {
    slept_ns += static_cast<double>(ns);
    fake::pass_host_time(ns);
  };
  Engine& engine = open({.work_ns = 1e6, .flush_ns = 1e6}, options);
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  double called_ns = 0;
  for (Visit const& visit : timing->record.visits) {
    for (Burst const& burst : visit.bursts) {
      for (double const interval_ns : burst.intervals_ns) called_ns += interval_ns;
    }
  }
  EXPECT_LE(slept_ns, called_ns);
  EXPECT_GE(slept_ns, 0.8 * called_ns);
}

// A captured call is made for the audit alone: three times, and in one series of what fits in 2
// ms.
TEST_F(EngineTest, TheAuditMakesFewerCallsWhereACallIsLong) {
  struct {
    double work_ns;
    int calls;
  } const rows[] = {{20'000, 3 + 16}, {300'000, 3 + 6}, {5e6, 3}, {300e6, 1}};
  for (auto const& row : rows) {
    Engine& engine = open({.work_ns = row.work_ns});
    int calls = 0;
    Work work = called(
        [](void* state) { return ++*static_cast<int*>(state), launch_work(nullptr); }, &calls);
    work.graph = graph(1);
    ASSERT_TRUE(measure(engine, work)) << row.work_ns;
    EXPECT_EQ(calls, row.calls) << row.work_ns;
  }
}

TEST_F(EngineTest, WhatTheCallerHasAskedIsNotAskedAgain) {
  Engine& engine = open({.work_ns = 20'000, .side_stream = &other_stream_mark});
  int calls = 0;
  Work work = called(
      [](void* state) {
        ++*static_cast<int*>(state);
        return fake::api().launch(fake::work_kernel(), 1, 1, 1, 1, 1, 1, 0, &other_stream_mark,
                                  nullptr, nullptr);
      },
      &calls);
  auto const escape = engine.audit(work.calls, kStream);
  ASSERT_TRUE(escape) << escape.error().text;
  EXPECT_THAT(*escape, HasSubstr("another stream"));
  work.graph = graph(1);
  work.escape = "";
  calls = 0;
  EXPECT_THAT(measure(engine, work)->flags, ElementsAre());
  EXPECT_EQ(calls, 0);
  work.escape = *escape;
  EXPECT_THAT(measure(engine, work)->flags, ElementsAre("escaped_work"));
}

TEST_F(EngineTest, WorkOnAnotherStreamIsFoundAndTimedByTheHost) {
  Engine& engine = open({.work_ns = 50'000, .side_stream = &other_stream_mark});
  auto const escape = [](void*) {
    return fake::api().launch(fake::work_kernel(), 1, 1, 1, 1, 1, 1, 0, &other_stream_mark, nullptr,
                              nullptr);
  };
  auto const timings = engine.measure({called(launch_work), called(escape)}, kStream, {});
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_EQ((*timings)[0].caliber, "direct-sync/cold-clean2x/raw/burst/v1");
  EXPECT_THAT((*timings)[0].flags, ElementsAre());
  EXPECT_THAT((*timings)[1].flags, ElementsAre("escaped_work"));
  EXPECT_THAT((*timings)[1].fallback, HasSubstr("another stream"));
  EXPECT_GT((*timings)[1].summary.median_ns, 50'000);
}

TEST_F(EngineTest, WhatLookedLikeEscapedWorkOnceIsLookedForAgain) {
  Engine& engine = open({.work_ns = 50'000, .side_stream = &other_stream_mark});
  int calls = 0;
  auto const escape_in_the_first_audit = [](void* state) {
    constexpr int kCallsOfAnAudit = 3 + 16;
    Handle const stream =
        ++*static_cast<int*>(state) <= kCallsOfAnAudit ? &other_stream_mark : kStream;
    return fake::api().launch(fake::work_kernel(), 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
  };
  auto const timing = measure(engine, called(escape_in_the_first_audit, &calls));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_THAT(timing->flags, ElementsAre());
  EXPECT_EQ(timing->caliber, "direct-blk/cold-clean2x/net/burst/v1");
}

TEST_F(EngineTest, AnInvalidatedCaptureIsEndedOnItsStreamAndReported) {
  Engine& engine = open({});
  fake::script().capture_status = 2;
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_FALSE(timing);
  EXPECT_STREQ(timing.error().reason, "capture_invalidated");
  EXPECT_EQ(timing.error().status_class, StatusClass::capture_only);
  EXPECT_THAT(fake::calls(), Contains("StreamEndCapture"));
  EXPECT_TRUE(measure(engine, called(launch_work)));
}

TEST_F(EngineTest, AStreamUnderCaptureIsLeftAlone) {
  Engine& engine = open({});
  fake::script().capture_status = 1;
  auto const timing = measure(engine, called(launch_work));
  ASSERT_FALSE(timing);
  EXPECT_STREQ(timing.error().reason, "capturing");
  EXPECT_THAT(fake::calls(), Not(Contains("StreamEndCapture")));
}

// ---- direct ----

TEST_F(EngineTest, TheHostIsNotInTheTimeOfABlockedCall) {
  Engine& engine = open({.work_ns = 20'010});
  auto const timing = measure(engine, called(launch_work_slowly));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "direct-blk/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
  EXPECT_NEAR(*timing->summary.host_ns, 51'000, 500);
}

TEST_F(EngineTest, WithoutAHeldStreamThePrerollHidesTheHost) {
  Options options;
  options.runtime.api.stream_wait_value = nullptr;
  Engine& engine = open({.work_ns = 20'010}, options);
  auto const timing = measure(engine, called(launch_work_slowly));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "direct-preroll/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
  EXPECT_EQ(timing->fallback, "the device cannot hold a stream");
}

TEST_F(EngineTest, WithoutDeviceCodeTheFlushIsThePreroll) {
  Options options;
  options.runtime.api.stream_wait_value = nullptr;
  options.runtime.api.module_load = nullptr;
  Engine& engine = open({.work_ns = 20'010}, options);
  auto const timing = measure(engine, called(launch_work_slowly));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "direct-preroll/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing->summary.median_ns, 20'010, 10);
}

TEST_F(EngineTest, ACallThatWaitsIsReleasedByTheWatchdogAndTimedByTheHost) {
  Engine& engine = open({.work_ns = 20'000});
  auto const timing = measure(engine, called(launch_and_wait));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "direct-sync/cold-clean2x/raw/burst/v1");
  EXPECT_EQ(timing->record.null_ns, 0);
  EXPECT_GT(timing->summary.median_ns, 20'000);
  EXPECT_LT(timing->summary.median_ns, 26'000);  // what the calls cost the host is in it
  EXPECT_THAT(timing->fallback, HasSubstr("waits for the device"));
}

TEST_F(EngineTest, ACallThatFailsLeavesNoStreamHeld) {
  Engine& engine = open({});
  int calls = 0;
  auto const failing = [](void* state) { return ++*static_cast<int*>(state) > 9 ? 1 : 0; };
  auto const timing = measure(engine, called(failing, &calls));
  ASSERT_FALSE(timing);
  EXPECT_STREQ(timing.error().reason, "call_failed");
  EXPECT_TRUE(measure(engine, called(launch_work)));
}

// ---- errors, clocks, drift ----

TEST_F(EngineTest, AStickyErrorEndsTheEngineForGood) {
  Engine& engine = open({.sticky_at_work = 20});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().status, 700);
  EXPECT_EQ(timing.error().status_class, StatusClass::sticky);
  EXPECT_THAT(timing.error().text, HasSubstr("ILLEGAL_ADDRESS"));
  std::size_t const calls = fake::calls().size();
  auto const later = measure(engine, called(launch_work));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().status, 700);
  EXPECT_EQ(fake::calls().size(), calls);  // the device is not touched again
}

TEST_F(EngineTest, ADriftingVisitIsTakenAgainAndThenFlagged) {
  Engine& engine = open({.work_ns = 20'000, .drift_per_launch = 1e-4});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_TRUE(timing->record.visits.at(0).is_discarded);
  EXPECT_FALSE(timing->record.visits.at(1).is_discarded);
  EXPECT_THAT(timing->summary.flags, Contains("drift"));
}

TEST_F(EngineTest, BurstsOfAnotherClockAreRejectedAndKept) {
  Engine& engine = open({.clock_of_launch = [](int launch) {
    return launch >= 150 && launch < 182 ? 1800.0 : 1980.0;
  }});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_GE(timing->summary.rejected_bursts, 1u);
  EXPECT_LE(timing->summary.rejected_bursts, 2u);
  EXPECT_EQ(timing->summary.bursts, 16u);
  EXPECT_THAT(to_json_line(timing->record), HasSubstr("\"rejected\":{\"clock\":["));
}

TEST_F(EngineTest, WhoeverIsAlwaysDisturbedHasNoResult) {
  Options options;
  auto count = std::make_shared<std::uint64_t>(0);
  options.host.epoch = [count] { return ++*count; };
  Engine& engine = open({}, options);
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_FALSE(timing);
  EXPECT_STREQ(timing.error().reason, "unstable");
}

TEST_F(EngineTest, VisitsThatDisagreeGetAThird) {
  // 5 % slower from the second visit on.
  Engine& engine = open({.work_ns = 20'000, .clock_of_launch = [](int launch) {
                           fake::script().work_ns = launch > 320 ? 21'000 : 20'000;
                           return 1980.0;
                         }});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->summary.visit_values_ns.size(), 3u);
  EXPECT_THAT(timing->summary.flags, Contains("visit_split"));
  EXPECT_NEAR(timing->summary.median_ns, 21'000, 60);
}

TEST_F(EngineTest, AFlushBufferThatDoesNotFitIsHalvedAndSaid) {
  Engine& engine = open({.memory_bytes = std::size_t{100} << 20});
  auto const timing = measure(engine, captured(graph(1)));
  ASSERT_TRUE(timing) << timing.error().text;
  EXPECT_EQ(timing->caliber, "graph-evt/cold-clean1x/net/burst/v1");
}

TEST_F(EngineTest, NoMemoryForAnyFlushIsAnErrorThatSaysSo) {
  fake::reset({.memory_bytes = std::size_t{1} << 20});
  auto const opened = Engine::open(fake_runtime(), fake_host(), 0, {}, {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr("64 MiB on the device for the flush"));
}

// ---- the record ----

TEST_F(EngineTest, TheSummaryComesOutOfTheRecordAgainToTheLastBit) {
  Engine& engine = open({.work_ns = 7'777, .jitter = 0.01});
  auto const timing = measure(engine, called(launch_work));
  ASSERT_TRUE(timing) << timing.error().text;
  auto const record = parse_record(to_json_line(timing->record));
  ASSERT_TRUE(record);
  auto const again = summarise(*record);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json_line(*again), to_json_line(timing->summary));
  EXPECT_EQ(again->median_ns, timing->summary.median_ns);
}

TEST(RecordJson, RefusesWhatIsNoRecord) {
  for (char const* const text : {"", "{", "[]", "{\"id\": 3}", "{\"id\": \"x\", \"visits\": {}}"}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
}

}  // namespace
}  // namespace zl::timing
