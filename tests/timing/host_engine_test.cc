#include "timing/host_engine.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "timing/host_fakes.h"
#include "timing/record_json.h"

namespace zl::timing {
namespace {

using testing::Contains;
using testing::Not;

class HostMeasurement : public testing::Test {
 protected:
  DeviceResult<DeviceTimings> measure(std::vector<DirectCalls> const& calls) {
    std::vector<Work> works;
    for (DirectCalls const& one : calls) {
      works.emplace_back().calls = one;
      works.back().id = "case/" + std::to_string(works.size());
    }
    return engine_.measure(works, {});
  }
  FakeTime time_;
  HostEngine engine_{time_.host(), time_.watch()};
};

TEST_F(HostMeasurement, FindsTheTimeOfACallWithoutTheClocksOwn) {
  FakeCall call{.time = &time_, .cost_ns = 300};
  auto const timings = measure({{call.timed()}});
  ASSERT_TRUE(timings) << timings.error().text;
  DeviceTiming const& timing = timings->front();
  EXPECT_EQ(timing.caliber, "host-p5/warm/net/burst/v1");
  EXPECT_NEAR(timing.summary.median_ns, 300, 0.05);
  ASSERT_TRUE(timing.summary.interval_ns);
  EXPECT_LE(timing.summary.interval_ns->low, timing.summary.median_ns);
  EXPECT_EQ(timing.summary.visits, 2u);
  EXPECT_GE(timing.summary.samples, 128u);
  EXPECT_TRUE(timing.summary.flags.empty());
  EXPECT_TRUE(timing.flags.empty());
  EXPECT_EQ(time_.slept_ns, 0);
}

TEST_F(HostMeasurement, TheRecordGivesTheSameSummaryAgain) {
  FakeCall call{.time = &time_, .cost_ns = 777};
  auto const timings = measure({{call.timed()}});
  auto const again = parse_record(to_json_line(timings->front().record));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json_line(*summarise(*again)), to_json_line(timings->front().summary));
}

TEST_F(HostMeasurement, ADriftOfTheMachineMeetsBothSides) {
  FakeCall slow{.time = &time_, .cost_ns = 100'000, .slower_after_ns = 90'000'000};
  FakeCall fast{.time = &time_, .cost_ns = 50'000, .slower_after_ns = 90'000'000};
  auto const timings = measure({{slow.timed()}, {fast.timed()}});
  EXPECT_NEAR((*timings)[0].summary.median_ns / (*timings)[1].summary.median_ns, 2, 0.02);
}

TEST_F(HostMeasurement, ABusyMachineGetsAResultWithAFlag) {
  FakeCall call{.time = &time_, .cost_ns = 10'000'000, .preempted_every = 1};
  auto const timings = measure({{call.timed()}});
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_THAT(timings->front().flags, Contains("preempted_often"));
  EXPECT_GE(timings->front().summary.samples, 16u);
  EXPECT_GE(timings->front().summary.rejected_bursts, 1u);
  EXPECT_THAT(timings->front().summary.flags, Not(Contains("unstable_clock")));
}

TEST_F(HostMeasurement, AMachineThatIsBusyNowAndThenGetsNoFlag) {
  FakeCall call{.time = &time_, .cost_ns = 5'000'000, .preempted_every = 9};
  auto const timings = measure({{call.timed()}});
  EXPECT_TRUE(timings->front().flags.empty());
  EXPECT_NEAR(timings->front().summary.max_ns, 5e6, 100);
  EXPECT_GE(timings->front().summary.rejected_bursts, 1u);
}

TEST_F(HostMeasurement, AVeryLongCallIsMadeAFewTimesOnly) {
  FakeCall call{.time = &time_, .cost_ns = 5'000'000'000};
  auto const timings = measure({{call.timed()}});
  EXPECT_NEAR(timings->front().summary.median_ns, 5e9, 100);
  EXPECT_THAT(timings->front().summary.flags, Contains("single_visit"));
  EXPECT_LE(call.calls, 3);
}

TEST_F(HostMeasurement, RestlessCallsEndAtACap) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000, .is_wild = true};
  auto const timings = measure({{call.timed()}});
  EXPECT_THAT(timings->front().summary.flags, Contains("ci_unmet"));
  EXPECT_LE(time_.now_ns, 1'000'000'000);
}

TEST_F(HostMeasurement, SaysWhoseCallFailed) {
  for (long const fail_at : {0L, 5L, 60L}) {
    FakeCall fine{.time = &time_, .cost_ns = 1'000'000};
    FakeCall failing{.time = &time_, .cost_ns = 1'000'000, .fail_at = fail_at};
    auto const timings = measure({{fine.timed()}, {failing.timed()}});
    ASSERT_FALSE(timings) << fail_at;
    EXPECT_EQ(engine_.failed_work(), 1u);
  }
  time_.is_stopped = true;
  FakeCall call{.time = &time_};
  EXPECT_STREQ(measure({{call.timed()}}).error().reason, kStopped);
  EXPECT_EQ(engine_.failed_work(), std::nullopt);
}

TEST_F(HostMeasurement, AWorkWithoutACallIsAnError) {
  EXPECT_STREQ(measure({{}}).error().reason, "no_call");
}

}  // namespace
}  // namespace zl::timing
