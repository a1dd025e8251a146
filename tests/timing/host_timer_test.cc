#include "timing/host_timer.h"

#include <gtest/gtest.h>

namespace zl::timing {
namespace {

// Time that passes only where a test says so: reading the clock costs `reading_ns`, a call its
// cost.
struct FakeTime {
  std::int64_t now_ns = 1'000'000;
  std::int64_t reading_ns = 20;
  HostTimer::Clock clock() {
    return [this] { return now_ns += reading_ns; };
  }
};

struct FakeCall {
  FakeTime* time = nullptr;
  std::int64_t cost_ns = 0;
  std::int64_t first_costs_ns = 0;  // on top, for the first call: a library's own start-up
  std::int64_t per_call_drift_ns = 0;
  long fail_at = -1;
  long calls = 0;
  std::vector<char>* log = nullptr;
  char letter = '?';

  TimedCall timed() {
    return {[](void* state) { return static_cast<FakeCall*>(state)->run(); }, this};
  }
  int run() {
    time->now_ns += cost_ns + (calls == 0 ? first_costs_ns : 0) + calls * per_call_drift_ns;
    if (log != nullptr && (log->empty() || log->back() != letter)) log->push_back(letter);
    return calls++ == fail_at ? 1 : 0;
  }
};

bool never() {
  return false;
}
long undisturbed() {
  return 0;
}

TEST(HostTimer, FindsTheTimeOfACall) {
  FakeTime time;
  FakeCall call{.time = &time, .cost_ns = 300};
  HostTimer timer({}, time.clock(), undisturbed);
  auto const result = timer.measure({call.timed()}, never);
  ASSERT_EQ(result.end, TimingEnd::finished);
  HostTiming const& timing = result.timings.at(0);
  EXPECT_NEAR(timing.median_ns, 300, 0.3);
  EXPECT_EQ(timing.why, StopReason::interval);
  ASSERT_TRUE(timing.interval_ns);
  EXPECT_LE(timing.interval_ns->low, timing.median_ns);
  EXPECT_GE(timing.interval_ns->high, timing.median_ns);
  EXPECT_GE(timing.samples, 20u);
}

TEST(HostTimer, ASampleIsLongAgainstTheClock) {
  FakeTime time;
  time.reading_ns = 1000;  // a coarse clock: 200 ticks are 200 us
  FakeCall call{.time = &time, .cost_ns = 300};
  HostTimer timer({}, time.clock(), undisturbed);
  EXPECT_EQ(timer.tick_ns(), 1000);
  auto const result = timer.measure({call.timed()}, never);
  auto const calls = static_cast<double>(result.timings.at(0).calls_per_sample);
  EXPECT_GE(calls * 300 + 1000, 200'000);
  EXPECT_LE(calls * 300, 260'000);
}

TEST(HostTimer, ALongCallIsASampleByItself) {
  FakeTime time;
  FakeCall call{.time = &time, .cost_ns = 3'000'000};
  HostTimer timer({}, time.clock(), undisturbed);
  auto const result = timer.measure({call.timed()}, never);
  EXPECT_EQ(result.timings.at(0).calls_per_sample, 1u);
  EXPECT_EQ(result.timings.at(0).samples, 20u);
}

TEST(HostTimer, ASlowFirstCallChangesNeitherTheCountNorTheTime) {
  FakeTime time;
  FakeCall call{.time = &time, .cost_ns = 200, .first_costs_ns = 80'000'000};
  HostTimer timer({}, time.clock(), undisturbed);
  auto const result = timer.measure({call.timed()}, never);
  EXPECT_NEAR(result.timings.at(0).median_ns, 200, 0.3);
  EXPECT_GE(result.timings.at(0).calls_per_sample, 200u);
}

// Gets slower by 1 ns a call for ever: never two equal samples in warm-up, and no narrow interval.
TEST(HostTimer, WhatNeverSettlesEndsAtTheCaps) {
  FakeTime time;
  FakeCall call{.time = &time, .cost_ns = 60'000, .per_call_drift_ns = 6'000};
  HostTimer timer({}, time.clock(), undisturbed);
  auto const result = timer.measure({call.timed()}, never);
  ASSERT_EQ(result.end, TimingEnd::finished);
  EXPECT_EQ(result.timings.at(0).why, StopReason::max_time);
  EXPECT_LT(time.now_ns, 4'000'000'000);
}

TEST(HostTimer, WhatNeverBecomesWarmIsMeasuredAllTheSame) {
  FakeTime time;
  struct Alternating {
    FakeTime* time;
    long calls = 0;
    static int run(void* state) {
      auto& self = *static_cast<Alternating*>(state);
      self.time->now_ns += ++self.calls % 2 == 0 ? 1'000'000 : 2'000'000;
      return 0;
    }
  };
  Alternating call{&time};
  HostTimerParams params;
  params.stopping.max_samples = 20;
  HostTimer timer(params, time.clock(), undisturbed);
  auto const result =
      timer.measure({{&Alternating::run, &call}}, [&] { return time.now_ns > 1e10; });
  EXPECT_EQ(result.end, TimingEnd::finished);
  EXPECT_GE(call.calls, 120);  // 200 ms of warm-up
  EXPECT_LE(call.calls, 200);
}

TEST(HostTimer, SidesTakeTurnsUntilBothAreDone) {
  FakeTime time;
  std::vector<char> log;
  FakeCall slow{.time = &time, .cost_ns = 4'000'000, .log = &log, .letter = 's'};
  FakeCall fast{.time = &time, .cost_ns = 1'000, .log = &log, .letter = 'f'};
  HostTimer timer({}, time.clock(), undisturbed);
  auto const result = timer.measure({slow.timed(), fast.timed()}, never);
  ASSERT_EQ(result.timings.size(), 2u);
  EXPECT_NEAR(result.timings[0].median_ns, 4e6, 100);
  EXPECT_NEAR(result.timings[1].median_ns, 1e3, 1);
  EXPECT_GE(log.size(), 10u);  // entries are changes from one side to the other
}

// A machine that becomes 30 % slower half-way: with turns, the ratio of the medians stays right.
TEST(HostTimer, ADriftOfTheMachineMeetsBothSides) {
  FakeTime time;
  struct Drifting {
    FakeTime* time;
    std::int64_t cost_ns;
    static int run(void* state) {
      auto const& self = *static_cast<Drifting*>(state);
      bool const is_late = self.time->now_ns > 60'000'000;
      self.time->now_ns += is_late ? self.cost_ns * 13 / 10 : self.cost_ns;
      return 0;
    }
  };
  Drifting first{&time, 100'000};
  Drifting second{&time, 50'000};
  StoppingParams long_run;
  long_run.min_total_ns = 100e6;
  HostTimerParams params;
  params.stopping = long_run;
  HostTimer timer(params, time.clock(), undisturbed);
  auto const result = timer.measure({{&Drifting::run, &first}, {&Drifting::run, &second}}, never);
  EXPECT_NEAR(result.timings.at(0).median_ns / result.timings.at(1).median_ns, 2, 0.02);
}

// Every third call loses the CPU for 5 ms.
struct PreemptedCall {
  FakeTime* time;
  long calls = 0;
  long preemptions = 0;
  long every = 3;
  static int run(void* state) {
    auto& self = *static_cast<PreemptedCall*>(state);
    self.time->now_ns += 1'000'000;
    if (++self.calls % self.every == 0) {
      self.time->now_ns += 5'000'000;
      ++self.preemptions;
    }
    return 0;
  }
};

TEST(HostTimer, TakesASampleAgainWhenItLostTheCpu) {
  FakeTime time;
  PreemptedCall call{.time = &time};
  HostTimer timer({}, time.clock(), [&] { return call.preemptions; });
  auto const result = timer.measure({{&PreemptedCall::run, &call}}, never);
  HostTiming const& timing = result.timings.at(0);
  EXPECT_EQ(timing.why, StopReason::interval);
  EXPECT_EQ(timing.preempted_samples, 0u);
  EXPECT_NEAR(timing.interval_ns->high, 1e6, 100);
}

TEST(HostTimer, KeepsAndCountsPreemptedSamplesWhenThereAreNoOthers) {
  FakeTime time;
  PreemptedCall call{.time = &time, .every = 1};
  HostTimer timer({}, time.clock(), [&] { return call.preemptions; });
  auto const result = timer.measure({{&PreemptedCall::run, &call}}, never);
  HostTiming const& timing = result.timings.at(0);
  EXPECT_GE(timing.samples, 20u);
  EXPECT_EQ(timing.preempted_samples, timing.samples);
}

TEST(HostTimer, SaysWhichSideFailed) {
  FakeTime time;
  for (long const fail_at : {0L, 5L, 2'000L}) {
    FakeCall fine{.time = &time, .cost_ns = 1'000};
    FakeCall failing{.time = &time, .cost_ns = 1'000, .fail_at = fail_at};
    HostTimer timer({}, time.clock(), undisturbed);
    auto const result = timer.measure({fine.timed(), failing.timed()}, never);
    EXPECT_EQ(result.end, TimingEnd::call_failed) << fail_at;
    EXPECT_EQ(result.failed_side, 1u);
    EXPECT_TRUE(result.timings.empty());
  }
}

TEST(HostTimer, StopsBetweenVisits) {
  FakeTime time;
  FakeCall call{.time = &time, .cost_ns = 1'000'000};
  int asked = 0;
  HostTimer timer({}, time.clock(), undisturbed);
  auto const result = timer.measure({call.timed()}, [&] { return ++asked > 2; });
  EXPECT_EQ(result.end, TimingEnd::stopped);
  EXPECT_LT(call.calls, 20);
}

TEST(HostTimer, ACallThatTakesNoTimeEnds) {
  FakeTime time;
  time.reading_ns = 0;
  FakeCall call{.time = &time, .cost_ns = 0};
  HostTimerParams params;
  params.stopping.max_samples = 3;
  HostTimer timer(params, time.clock(), undisturbed);
  auto const result = timer.measure({call.timed()}, never);
  ASSERT_EQ(result.end, TimingEnd::finished);
  EXPECT_EQ(result.timings.at(0).median_ns, 0);
  EXPECT_EQ(result.timings.at(0).why, StopReason::max_samples);
}

TEST(HostTimer, TheRealClockGoesForward) {
  auto const clock = steady_clock_ns();
  std::int64_t const first = clock();
  std::int64_t last = first;
  for (int i = 0; i < 1000; ++i) {
    std::int64_t const now = clock();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(last, first);
}

}  // namespace
}  // namespace zl::timing
