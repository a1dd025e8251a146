#include "timing/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake_runtime.h"
#include "timing/calibrate_json.h"

namespace zl::timing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

char stream_mark;

backend::DeviceRuntime fake_runtime(std::size_t family = 0) {
  backend::DeviceRuntime runtime;
  runtime.api = fake::api();
  runtime.family = &backend::runtime_families()[family];
  return runtime;
}

DeviceResult<DeviceFigures> calibrated(fake::Script script,
                                       backend::DeviceRuntime runtime = fake_runtime()) {
  fake::reset(std::move(script));
  HostEnvironment const host{[] { return fake::host_ns(); },
                             [](std::int64_t ns) { fake::pass_host_time(ns); },
                             [] { return std::uint64_t{0}; }};
  auto const engine = Engine::open(runtime, host, 0, {}, {.watchdog_ns = 5e6});
  if (!engine) return tl::unexpected<DeviceError>(engine.error());
  CalibrateParams params;
  params.repeats = 2;
  params.lengths_us = {2, 10, 100, 1000};
  int told = 0;
  auto figures = calibrate_device(**engine, &stream_mark, params, [&](int done) { told = done; });
  EXPECT_EQ(told, figures ? 2 : 0);
  return figures;
}

Target find(DeviceFigures const& figures, std::string const& name) {
  for (Target const& target : hold_against_targets(figures)) {
    if (target.figure == name) return target;
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}

TEST(Calibrate, FindsWhatAKernelCostsBesideItsLength) {
  auto const figures = calibrated({.start_ns = 700});
  ASSERT_TRUE(figures) << figures.error().text;
  EXPECT_EQ(fake::live_handles(), 0u);
  EXPECT_EQ(figures->tick_ns, 32);
  EXPECT_NEAR(figures->clock_mhz, 1980, 0.5);
  ASSERT_EQ(figures->timers.size(), 2u);
  for (TimerFigures const& timer : figures->timers) {
    EXPECT_NEAR(*timer.slope, 1, 5e-4) << timer.timer;
    EXPECT_NEAR(*timer.offset_ns, 700, 15) << timer.timer;
    ASSERT_EQ(timer.rungs.size(), 4u);
    EXPECT_EQ(timer.rungs[1].name, "spin 10 us");
    EXPECT_NEAR(*timer.rungs[1].truth_ns, 10'000, 15);
    EXPECT_THAT(timer.fallback, IsEmpty());
  }
  EXPECT_EQ(figures->timers[0].caliber, "graph-evt/cold-clean2x/net/burst/v1");
  EXPECT_EQ(figures->timers[1].caliber, "direct-blk/cold-clean2x/net/burst/v1");
  for (Target const& target : hold_against_targets(*figures))
    EXPECT_TRUE(target.is_met.value_or(true)) << target.figure << " " << target.measured;
}

TEST(Calibrate, SeesATimerWhoseClockRunsFast) {
  auto const figures = calibrated({.event_rate = 1.01, .start_ns = 700});
  ASSERT_TRUE(figures) << figures.error().text;
  EXPECT_NEAR(*figures->timers[0].slope, 1.01, 5e-4);
  EXPECT_EQ(find(*figures, "graph slope's error").is_met, false);
  EXPECT_EQ(find(*figures, "direct slope's error").is_met, false);
  EXPECT_EQ(find(*figures, "graph offset").is_met, true);
}

// The clock is not taken for granted: the chain's cycles are the same, its time is not.
TEST(Calibrate, ALowerClockIsNoErrorOfTheTimer) {
  auto const figures = calibrated({.start_ns = 700, .clock_mhz = 1200});
  ASSERT_TRUE(figures) << figures.error().text;
  EXPECT_NEAR(figures->clock_mhz, 1200, 0.5);
  EXPECT_NEAR(*figures->timers[0].slope, 1, 5e-4);
  EXPECT_NEAR(*figures->timers[0].rungs[3].truth_ns, 1e6, 1e3);
}

TEST(Calibrate, WithoutDeviceCodeOnlyRepeatabilityIsKnown) {
  auto const figures = calibrated({}, fake_runtime(1));
  ASSERT_TRUE(figures) << figures.error().text;
  EXPECT_THAT(figures->no_spins, HasSubstr("no device code"));
  ASSERT_EQ(figures->timers.size(), 2u);
  for (TimerFigures const& timer : figures->timers) {
    EXPECT_FALSE(timer.slope) << timer.timer;
    ASSERT_EQ(timer.rungs.size(), 1u);
    EXPECT_EQ(timer.rungs[0].name, "flush 120 MiB");
    EXPECT_FALSE(timer.rungs[0].truth_ns);
    EXPECT_NEAR(timer.rungs[0].net_ns, 35'000, 40);
  }
  EXPECT_THAT(to_json_line(*figures), Not(HasSubstr("null,")));
  EXPECT_THAT(to_json_line(*figures), Not(HasSubstr("slope")));
}

TEST(Calibrate, WithoutGraphsThereIsOneTimer) {
  auto runtime = fake_runtime();
  runtime.api.graph_create = nullptr;
  auto const figures = calibrated({.start_ns = 700}, runtime);
  ASSERT_TRUE(figures) << figures.error().text;
  ASSERT_EQ(figures->timers.size(), 1u);
  EXPECT_EQ(figures->timers[0].timer, "direct");
  EXPECT_THAT(figures->no_graph, Not(IsEmpty()));
  EXPECT_EQ(find(*figures, "direct offset").is_met, true);
}

TEST(Calibrate, ADeviceThatDiesIsAnError) {
  fake::Script script;
  script.failures["MemcpyDtoHAsync_v2"] = {.status = 700};
  auto const figures = calibrated(script);
  ASSERT_FALSE(figures);
  EXPECT_THAT(figures.error().text, HasSubstr("reading the spin's count"));
  EXPECT_EQ(fake::live_handles(), 0u);
}

TEST(Calibrate, TheHostTimerHasItsTickAndWhatItShowsOfNothing) {
  DeviceFigures const figures = calibrate_host({.repeats = 2});
  EXPECT_GT(figures.tick_ns, 0);
  ASSERT_EQ(figures.timers.size(), 1u);
  EXPECT_GT(figures.timers[0].null->median_ns, 0);
  EXPECT_LT(figures.timers[0].null->median_ns, 1000);
  EXPECT_EQ(find(figures, "host null interval, of a call").unit, "ns");
}

// A residual counts against what is allowed at its length, not by its own size.
TEST(CalibrationTargets, TheWorstResidualIsTheWorstAgainstWhatIsAllowed) {
  TimerFigures graph;
  graph.timer = "graph";
  graph.slope = 1;
  graph.offset_ns = 500;
  graph.rungs = {{"short", 2'000, 2'500, 0.001, 30}, {"long", 1e6, 1e6, 0.004, 2'900}};
  DeviceFigures figures;
  figures.timers = {graph};
  Target const worst = find(figures, "graph worst residual");
  EXPECT_EQ(worst.where, "short");
  EXPECT_EQ(worst.is_met, false);
  EXPECT_DOUBLE_EQ(worst.measured, 1.5);
  EXPECT_EQ(find(figures, "graph repeatability, median length").is_met, false);
  EXPECT_EQ(find(figures, "graph repeatability, worst length").is_met, true);
  EXPECT_EQ(find(figures, "graph repeatability, worst length").where, "long");
}

TEST(CalibrationTargets, TheSecondTimersOffsetIsHeldAgainstTheFirsts) {
  TimerFigures graph;
  graph.timer = "graph";
  graph.slope = 1;
  graph.offset_ns = 100;
  TimerFigures direct = graph;
  direct.timer = "direct";
  direct.offset_ns = 450;
  DeviceFigures figures;
  figures.timers = {graph, direct};
  EXPECT_EQ(find(figures, "graph offset").is_met, false);
  Target const apart = find(figures, "direct offset from graph's");
  EXPECT_DOUBLE_EQ(apart.measured, 350);
  EXPECT_EQ(apart.is_met, false);
}

}  // namespace
}  // namespace zl::timing
