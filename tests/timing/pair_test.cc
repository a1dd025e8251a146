#include "timing/pair.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "timing/records.h"

namespace zl::timing {
namespace {

// The device's state of the moment, which both sides of a burst share: a random walk in percent.
void add_common_noise(double step, unsigned seed, Record* a, Record* b) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  double level = 0;
  for (std::size_t v = 0; v < a->visits.size(); ++v) {
    for (std::size_t i = 0; i < a->visits[v].bursts.size(); ++i) {
      level += step * normal(random);
      for (Record* const record : {a, b}) {
        for (double& ns : record->visits[v].bursts[i].intervals_ns) ns *= 1 + level;
      }
    }
  }
}

TEST(Pair, SpeedupIsOfTheMedians) {
  Record const baseline = make_record({.value_ns = 60'000, .seed = 1});
  Record const candidate = make_record({.value_ns = 40'000, .seed = 2});
  auto const pair = summarise_pair(baseline, candidate);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->speedup, summarise(baseline)->median_ns / summarise(candidate)->median_ns);
  EXPECT_EQ(pair->pairs, 26u);
  EXPECT_LE(pair->interval->low, pair->speedup);
  EXPECT_GE(pair->interval->high, pair->speedup);
  EXPECT_NEAR(pair->interval->low, 1.5, 0.01);
  EXPECT_NEAR(pair->interval->high, 1.5, 0.01);
}

// What both sides share does not widen the interval of their ratio: that of the two medians'
// intervals is several times as wide.
TEST(Pair, WhatBothSidesShareCancels) {
  Record baseline = make_record({.burst_noise = 0.0005, .seed = 1});
  Record candidate = make_record({.burst_noise = 0.0005, .seed = 2});
  add_common_noise(0.01, 3, &baseline, &candidate);
  auto const pair = summarise_pair(baseline, candidate);
  EXPECT_LT(pair->interval->high - pair->interval->low, 0.004);
  EXPECT_GT(*summarise(baseline)->ci95_relative, 0.008);
}

TEST(Pair, TheIntervalHoldsTheTruthAsOftenAsItSays) {
  int held = 0;
  constexpr int kTrials = 300;
  for (unsigned i = 0; i < kTrials; ++i) {
    Record baseline = make_record({.value_ns = 60'000, .seed = 2 * i + 1});
    Record candidate = make_record({.value_ns = 50'000, .seed = 2 * i + 2});
    add_common_noise(0.002, i, &baseline, &candidate);
    auto const pair = summarise_pair(baseline, candidate);
    held += pair->interval->low <= 1.2 && 1.2 <= pair->interval->high ? 1 : 0;
  }
  EXPECT_GE(held, 0.92 * kTrials);
  EXPECT_LT(held, kTrials);
}

TEST(Pair, OnlyBurstsThatCountOnBothSidesMakeAPair) {
  Record baseline = make_record({.seed = 1});
  Record candidate = make_record({.bursts = 10, .seed = 2});
  baseline.visits[0].bursts[2].rejection = Rejection::clock;
  candidate.visits[1].bursts[4].rejection = Rejection::epoch;
  EXPECT_EQ(summarise_pair(baseline, candidate)->pairs, 18u);
}

// A visit that was taken again has its second attempt paired, not the first.
TEST(Pair, VisitsTakenAgainKeepTheirPlace) {
  Record const candidate = make_record({.seed = 2});
  Record baseline = make_record({.visits = 3, .seed = 1});
  baseline.visits[0].is_discarded = true;
  for (Burst& burst : baseline.visits[0].bursts) {
    for (double& ns : burst.intervals_ns) ns *= 3;
  }
  auto const pair = summarise_pair(baseline, candidate);
  EXPECT_EQ(pair->pairs, 26u);
  EXPECT_LT(pair->interval->high, 1.01);
}

TEST(Pair, BelowFourPairsTheMediansIntervalsCount) {
  Record const baseline = make_record({.value_ns = 60'000, .visits = 1, .bursts = 3, .seed = 1});
  Record const candidate = make_record({.value_ns = 40'000, .seed = 2});
  auto const pair = summarise_pair(baseline, candidate);
  EXPECT_EQ(pair->pairs, 3u);
  auto const a = *summarise(baseline);
  auto const b = *summarise(candidate);
  double const down = std::hypot(std::log(a.median_ns / a.interval_ns->low),
                                 std::log(b.interval_ns->high / b.median_ns));
  EXPECT_NEAR(pair->interval->low, pair->speedup * std::exp(-down), 1e-9);
  Record const one_burst = make_record({.visits = 1, .bursts = 1});
  EXPECT_FALSE(summarise_pair(one_burst, candidate)->interval);
}

TEST(Pair, NothingComesOfASideWithoutANumber) {
  Record const good = make_record({});
  Record rejected = good;
  for (Visit& visit : rejected.visits) visit.is_discarded = true;
  EXPECT_FALSE(summarise_pair(good, rejected));
  Record below_the_timer = good;
  below_the_timer.null_ns = 1e9;
  EXPECT_FALSE(summarise_pair(below_the_timer, good));
}

TEST(Pair, JsonHasBoundsOnlyWhereTheyAreKnown) {
  EXPECT_EQ(to_json_line({1.5, Interval{1.25, 1.75}, 26}),
            R"({"pairs":26,"speedup":1.5,"speedup_high":1.75,"speedup_low":1.25})");
  EXPECT_EQ(to_json_line({1.5, {}, 0}), R"({"pairs":0,"speedup":1.5})");
}

}  // namespace
}  // namespace zl::timing
