#include "timing/stopping.h"

#include <cmath>
#include <gtest/gtest.h>

namespace zl::timing {
namespace {

// 1,000 ns give or take `spread`, evenly and in no order that the rule could profit from.
double spread_sample(std::size_t index, double spread) {
  double const phase = std::fmod(static_cast<double>(index) * 0.618034, 1.0);
  return 1000 + (2 * phase - 1) * spread;
}

struct Outcome {
  std::size_t samples = 0;
  StopReason why = StopReason::none;
  double width = 0;  // of the interval, as a share of the median
};

Outcome run_until_done(StoppingParams const& params, std::size_t calls, double spread) {
  MedianStopping rule;
  rule.start(params, calls);
  for (std::size_t i = 0; !rule.done() && i < 100'000; ++i) rule.add(spread_sample(i, spread));
  auto const interval = rule.interval_ns();
  double const width = interval ? (interval->high - interval->low) / median(rule.samples_ns()) : 0;
  return {rule.samples_ns().size(), rule.why(), width};
}

// One sample is 1,000 calls of 1,000 ns: 1 ms, so that 50 samples are the least time.
constexpr std::size_t kCalls = 1000;

TEST(MedianStopping, QuietSamplesStopAtTheLeastTime) {
  Outcome const run = run_until_done({}, kCalls, 1);
  EXPECT_EQ(run.why, StopReason::interval);
  EXPECT_GE(run.samples, 50u);
  EXPECT_LE(run.samples, 52u);  // the phases are not centred: the sum may be a little short at 50
}

TEST(MedianStopping, NeedsTheLeastNumberOfSamplesHoweverLongTheyAre) {
  Outcome const run = run_until_done({}, 40'000, 1);  // 40 ms each
  EXPECT_EQ(run.why, StopReason::interval);
  EXPECT_EQ(run.samples, 20u);
}

TEST(MedianStopping, SpreadSamplesStopOnceTheIntervalIsNarrow) {
  Outcome const run = run_until_done({}, kCalls, 40);
  EXPECT_EQ(run.why, StopReason::interval);
  EXPECT_GT(run.samples, 60u);
  EXPECT_LE(run.width, 0.01);
}

TEST(MedianStopping, ATighterTargetTakesMoreSamples) {
  StoppingParams tight;
  tight.half_width = 0.002;
  EXPECT_GT(run_until_done(tight, kCalls, 40).samples, run_until_done({}, kCalls, 40).samples);
}

TEST(MedianStopping, WildSamplesStopAtTheCaps) {
  StoppingParams params;
  params.max_samples = 300;
  Outcome const by_count = run_until_done(params, 1000, 900);
  EXPECT_EQ(by_count.why, StopReason::max_samples);
  EXPECT_EQ(by_count.samples, 300u);
  params.max_total_ns = 100e6;
  Outcome const by_time = run_until_done(params, 1000, 900);
  EXPECT_EQ(by_time.why, StopReason::max_time);
  EXPECT_NEAR(static_cast<double>(by_time.samples), 100, 2);
}

TEST(MedianStopping, SlowSamplesMayPassTheTimeCapUntilThereAreEnough) {
  Outcome const run = run_until_done({}, 100'000, 100);  // 0.1 s each, restless
  EXPECT_EQ(run.why, StopReason::max_time);
  EXPECT_EQ(run.samples, 20u);
}

TEST(MedianStopping, VerySlowSamplesEndAtTheLimit) {
  Outcome const run = run_until_done({}, 1'000'000, 1);  // a second each
  EXPECT_EQ(run.why, StopReason::max_time);
  EXPECT_LE(run.samples, 4u);
}

// Narrow enough exactly when the cap is reached: said as what it is.
TEST(MedianStopping, ANarrowIntervalAtTheCapCountsAsNarrow) {
  StoppingParams params;
  params.max_samples = 21;
  params.min_total_ns = 20.5e6;
  EXPECT_EQ(run_until_done(params, kCalls, 0).why, StopReason::interval);
}

TEST(MedianStopping, TheFirstReasonStandsWhenMoreSamplesCome) {
  MedianStopping rule;
  rule.start({}, kCalls);
  while (!rule.done()) rule.add(1000);
  while (!rule.is_exhausted()) rule.add(5000);
  EXPECT_EQ(rule.why(), StopReason::interval);
}

TEST(MedianStopping, StartForgetsTheSamplesBefore) {
  MedianStopping rule;
  rule.start({}, kCalls);
  while (!rule.done()) rule.add(1000);
  rule.start({}, 1);
  EXPECT_FALSE(rule.done());
  EXPECT_TRUE(rule.samples_ns().empty());
  EXPECT_FALSE(rule.interval_ns());
}

}  // namespace
}  // namespace zl::timing
