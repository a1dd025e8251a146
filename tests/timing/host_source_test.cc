#include "timing/host_source.h"

#include <gtest/gtest.h>

#include "base/statistics.h"
#include "timing/host_fakes.h"

namespace zl::timing {
namespace {

class Host : public testing::Test {
 protected:
  HostSource source_of(DirectCalls calls, HostParams params = {}) {
    return HostSource(host_, watch_, calls, params);
  }
  HostSource settled(DirectCalls calls) {
    HostSource source = source_of(calls);
    EXPECT_TRUE(source.settle(1));
    return source;
  }
  FakeTime time_;
  HostEnvironment host_ = time_.host();
  HostWatch watch_ = time_.watch();
};

TEST_F(Host, TheTickIsTheStepOfTheClock) {
  EXPECT_EQ(measure_host_tick(host_), 20);
  time_.jitter_ns = 4;
  EXPECT_EQ(measure_host_tick(host_), 4);
}

TEST_F(Host, TheNullIsReadingTheClockAndCallingNothing) {
  HostNull const null = measure_host_null(host_);
  EXPECT_NEAR(null.reading_ns, 20, 0.1);
  EXPECT_NEAR(null.call_ns, 0, 0.01);
  EXPECT_DOUBLE_EQ((HostNull{20, 1.5}.of(1000)), 1520);
}

TEST(HostClock, ARealCallOfNothingTakesTimeAndTheClockHasAStep) {
  HostNull const null = measure_host_null(real_host());
  EXPECT_GT(null.call_ns, 0.1);  // 0: the compiler has left the calls out
  EXPECT_LT(null.call_ns, 1000);
  EXPECT_GT(measure_host_tick(real_host()), 0);
}

TEST_F(Host, AShortCallIsMadeManyTimesASample) {
  FakeCall call{.time = &time_, .cost_ns = 300};
  HostSource source = settled({call.timed()});
  auto const calls = static_cast<double>(source.shape().calls_per_sample);
  EXPECT_GE(calls * 300, 100'000);
  EXPECT_LE(calls * 300, 130'000);
  auto const burst = source.run(nullptr);
  ASSERT_EQ(burst->intervals_ns.size(), source.shape().samples);
  EXPECT_NEAR(median(burst->intervals_ns), calls * 300 + 20, 0.1);
  EXPECT_NEAR(burst->wall_ns, 3e6, 0.3e6);
  EXPECT_EQ(burst->device_ns, 0);  // it would be waited for
}

TEST_F(Host, ACoarseClockNeedsLongerSamples) {
  FakeCall call{.time = &time_, .cost_ns = 300};
  HostSource source = source_of({call.timed()});
  ASSERT_TRUE(source.settle(1000));
  EXPECT_GE(source.shape().calls_per_sample * 300, 200'000u);
}

TEST_F(Host, ALongCallIsASampleByItself) {
  FakeCall call{.time = &time_, .cost_ns = 4'000'000};
  HostSource source = settled({call.timed()});
  EXPECT_EQ(source.shape().calls_per_sample, 1u);
  EXPECT_EQ(source.shape().samples, 1u);
  long const before = call.calls;
  ASSERT_TRUE(source.run(nullptr));
  EXPECT_EQ(call.calls - before, 2);  // one more, to fill the caches
}

TEST_F(Host, AVeryLongCallIsNotMadeTwice) {
  FakeCall call{.time = &time_, .cost_ns = 2'000'000'000};
  HostSource source = settled({call.timed()});
  ASSERT_TRUE(source.run(nullptr));
  EXPECT_EQ(call.calls, 2);
}

TEST_F(Host, ASlowFirstCallDoesNotChangeTheCount) {
  FakeCall call{.time = &time_, .cost_ns = 200, .first_costs_ns = 80'000'000};
  EXPECT_GE(settled({call.timed()}).shape().calls_per_sample, 500u);
}

// What was measured before has filled the caches: the first sample of a burst is slow.
TEST_F(Host, TheFirstSampleOfABurstIsNotRecorded) {
  FakeCall call{.time = &time_, .cost_ns = 50'000};
  HostSource source = settled({call.timed()});
  call.calls = 0;
  call.first_costs_ns = 1'000'000;
  auto const burst = source.run(nullptr);
  EXPECT_LT(*std::max_element(burst->intervals_ns.begin(), burst->intervals_ns.end()), 200'000);
}

TEST_F(Host, WarmingUpACallThatNeverSettlesEnds) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000, .is_wild = true};
  settled({call.timed()});
  EXPECT_GE(time_.now_ns, 200'000'000);
  EXPECT_LE(time_.now_ns, 220'000'000);
}

TEST_F(Host, WhatACallChangesIsPutBackBeforeEachSampleOutsideOfIt) {
  FakeCall call{.time = &time_, .cost_ns = 1'000};
  FakeCall prepare{.time = &time_, .cost_ns = 70'000};
  HostSource source = settled({call.timed(), prepare.timed()});
  EXPECT_EQ(source.shape().calls_per_sample, 1u);
  auto const burst = source.run(nullptr);
  EXPECT_EQ(median(burst->intervals_ns), 1'020);
  EXPECT_EQ(prepare.calls, call.calls);
}

TEST_F(Host, ItsContextIsEnteredAndLeftAroundAVisitAndTheWarmUp) {
  FakeCall call{.time = &time_, .cost_ns = 1'000};
  FakeCall enter{.time = &time_};
  FakeCall leave{.time = &time_};
  HostSource source = settled({call.timed(), {}, enter.timed(), leave.timed()});
  EXPECT_EQ(enter.calls, 1);
  EXPECT_EQ(leave.calls, 1);
  EXPECT_TRUE(source.is_exclusive());
  EXPECT_FALSE(settled({call.timed()}).is_exclusive());
}

TEST_F(Host, ASampleThatLostTheCpuIsTakenAgain) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000};
  HostSource source = settled({call.timed()});
  call.preempted_every = 3;
  auto const burst = source.run(nullptr);
  EXPECT_FALSE(burst->evidence.is_preempted);
  for (double const sample : burst->intervals_ns) EXPECT_EQ(sample, 1'000'020);
}

TEST_F(Host, ABurstThatKeepsALossOfTheCpuIsDisturbed) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000};
  HostSource source = settled({call.timed()});
  ASSERT_TRUE(source.begin_visit());
  call.preempted_every = 1;
  EXPECT_TRUE(source.run(nullptr)->evidence.is_preempted);
  call.preempted_every = 0;
  EXPECT_FALSE(source.run(nullptr)->evidence.is_preempted);
  EXPECT_FALSE(source.is_preempted_often());
}

TEST_F(Host, OnABusyMachineLossesOfTheCpuCountAfterAWhile) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000};
  HostSource source = settled({call.timed()});
  ASSERT_TRUE(source.begin_visit());
  call.preempted_every = 1;
  int rejected = 0;
  for (int i = 0; i < 20; ++i) rejected += source.run(nullptr)->evidence.is_preempted ? 1 : 0;
  EXPECT_EQ(rejected, 4);
  EXPECT_TRUE(source.is_preempted_often());
}

TEST_F(Host, LongBurstsAreThrownAwayForAShortTimeOnly) {
  FakeCall call{.time = &time_, .cost_ns = 90'000'000};
  HostSource source = settled({call.timed()});
  ASSERT_TRUE(source.begin_visit());
  call.preempted_every = 1;
  EXPECT_TRUE(source.run(nullptr)->evidence.is_preempted);
  EXPECT_FALSE(source.run(nullptr)->evidence.is_preempted);
  EXPECT_TRUE(source.is_preempted_often());
}

TEST_F(Host, AnEpochThatChangesIsADisturbance) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000};
  HostSource source = settled({call.timed()});
  EXPECT_FALSE(source.run(nullptr)->evidence.is_epoch_changed);
  call.changes_epoch = true;
  EXPECT_TRUE(source.run(nullptr)->evidence.is_epoch_changed);
}

TEST_F(Host, ACallThatFailsEndsItAndIsRemembered) {
  for (long const fail_at : {0L, 5L}) {
    FakeCall call{.time = &time_, .cost_ns = 1'000'000, .fail_at = fail_at};
    HostSource source = source_of({call.timed()});
    auto const settled = source.settle(1);
    auto const burst = source.run(nullptr);
    EXPECT_EQ(settled.has_value(), fail_at == 5);
    EXPECT_STREQ((settled ? burst.error() : settled.error()).reason, "call_failed");
    EXPECT_TRUE(source.has_failed());
  }
}

TEST_F(Host, StopIsHeardBeforeEachBurstAndWhileItWarmsUp) {
  FakeCall call{.time = &time_, .cost_ns = 1'000'000};
  HostSource source = settled({call.timed()});
  time_.is_stopped = true;
  long const before = call.calls;
  auto const burst = source.run(nullptr);
  ASSERT_FALSE(burst);
  EXPECT_STREQ(burst.error().reason, kStopped);
  EXPECT_STREQ(source.settle(1).error().reason, kStopped);
  EXPECT_EQ(call.calls, before);
  EXPECT_FALSE(source.has_failed());
}

TEST_F(Host, ACallThatTakesNoTimeEnds) {
  time_.reading_ns = 0;
  FakeCall call{.time = &time_};
  HostSource source = settled({call.timed()});
  EXPECT_EQ(source.run(nullptr)->intervals_ns.size(), kMaxSamplesPerBurst);
}

}  // namespace
}  // namespace zl::timing
