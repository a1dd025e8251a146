#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "timing/burst.h"
#include "timing/burst_stopping.h"
#include "timing/caliber.h"
#include "timing/cluster_interval.h"
#include "timing/dither.h"
#include "timing/drift.h"
#include "timing/student.h"
#include "timing/visits.h"

namespace zl::timing {
namespace {

// From printed tables of Student's t.
TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 7), 2.3646, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.0423, 1e-4);
  EXPECT_NEAR(student_quantile(0.025, 7), -2.3646, 1e-4);
  EXPECT_NEAR(student_quantile(0.5, 9), 0, 1e-9);
  EXPECT_NEAR(student_cdf(-2.3646, 7), 0.025, 1e-5);
}

TEST(Dither, IsEvenWithinHalfATickAndTheSameEachTime) {
  std::uint64_t const seed = measurement_seed("add/float32/1024");
  double sum = 0;
  double lowest = 1;
  double highest = -1;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    double const value = dither(seed, i, 32);
    EXPECT_EQ(value, dither(seed, i, 32));
    sum += value;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  EXPECT_NEAR(sum / 10'000, 0, 0.4);
  EXPECT_GE(lowest, -16);
  EXPECT_LT(lowest, -15.9);
  EXPECT_LT(highest, 16);
  EXPECT_GT(highest, 15.9);
  EXPECT_NE(dither(seed, 0, 32), dither(measurement_seed("add/float32/1025"), 0, 32));
}

TEST(Dither, IsTheSameOnEveryMachine) {
  EXPECT_EQ(measurement_seed(""), 0x9e3779b97f4a7c15u);
  // 0x910a2dec89025cc1, the first published value of SplitMix64 from 1, as a share of the whole.
  EXPECT_NEAR(dither(1, 0, 1), 0x1.22145bd91204bp-1 - 0.5, 1e-15);
}

// The same by its definition, slowly: where half the samples lie, and the clusters' shares.
TEST(ClusterInterval, IsWhatTheDefinitionSays) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(1000, 10);
  std::vector<std::vector<double>> bursts(9, std::vector<double>(11));
  std::vector<double> pooled;
  for (auto& burst : bursts) {
    for (double& sample : burst) pooled.push_back(sample = normal(random));
  }
  std::sort(pooled.begin(), pooled.end());
  double const middle = pooled[49];  // of 99
  double squares = 0;
  double total = 0;
  std::vector<double> shares;
  for (auto const& burst : bursts) {
    double below = 0;
    for (double const sample : burst) below += sample < middle ? 1 : sample == middle ? 0.5 : 0;
    shares.push_back(below / 11);
    total += shares.back();
  }
  for (double const share : shares) squares += std::pow(share - total / 9, 2);
  double const error = std::max(std::sqrt(squares / 8 / 9), 0.5 / std::sqrt(99.0));
  double const reach = student_quantile(0.975, 8) * error;
  double const low_at = (0.5 - reach) * 98;
  auto const index = static_cast<std::size_t>(low_at);
  double const low =
      pooled[index] + (low_at - std::floor(low_at)) * (pooled[index + 1] - pooled[index]);
  ClusterEstimate const estimate = estimate_quantile(bursts, 0.5);
  EXPECT_EQ(estimate.value, middle);
  ASSERT_TRUE(estimate.interval);
  EXPECT_NEAR(estimate.interval->low, low, 1e-9);
  EXPECT_EQ(estimate.clusters, 9u);
}

TEST(ClusterInterval, BurstsThatDifferWidenIt) {
  std::vector<std::vector<double>> alike;
  std::vector<std::vector<double>> different;
  for (int burst = 0; burst < 10; ++burst) {
    alike.emplace_back();
    different.emplace_back();
    for (int i = 0; i < 20; ++i) {
      alike.back().push_back(1000 + i);
      different.back().push_back(1000 + i + (burst % 2 == 0 ? 30 : 0));
    }
  }
  auto const width = [](ClusterEstimate const& e) { return e.interval->high - e.interval->low; };
  EXPECT_LT(width(estimate_quantile(alike, 0.5)), 8);
  EXPECT_GT(width(estimate_quantile(different, 0.5)), 40);
}

TEST(ClusterInterval, NeighboursThatResembleEachOtherAreMerged) {
  std::vector<std::vector<double>> bursts;
  for (int i = 0; i < 32; ++i) bursts.emplace_back(8, 1000 + 10 * std::sin(i * 0.2));
  EXPECT_LE(estimate_quantile(bursts, 0.5).clusters, 16u);
  EXPECT_EQ(estimate_quantile({bursts.begin(), bursts.begin() + 15}, 0.5).clusters, 15u);
}

TEST(ClusterInterval, OneBurstHasNone) {
  EXPECT_FALSE(estimate_quantile({{1, 2, 3}}, 0.5).interval);
  EXPECT_EQ(estimate_quantile({{1, 2, 3}}, 0.5).value, 2);
}

// ---- coverage of the interval after optional stopping ----

struct Noise {
  double value_ns = 20'000;
  double sample = 0;        // relative deviation of a sample
  double burst = 0;         // ... of all samples of a burst
  double second_state = 0;  // in 30 % of the bursts
  double tick_ns = 0;
  double quantile = 0.5;       // what is estimated
  double disturbed_share = 0;  // of the bursts: 5 to 40 % slower
};

struct Coverage {
  double share = 0;
  double samples = 0;  // mean
  double near = 0;     // share of the estimates within 1 % of the undisturbed value
};

Coverage simulate(Noise const& noise, std::size_t samples_per_burst) {
  constexpr int kTrials = 400;
  std::mt19937 random(20'11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  // The truth: the quantile of the mixture, of very many bursts.
  auto const burst_of = [&](std::size_t count) {
    std::vector<double> samples(count);
    double shift = noise.burst * normal(random) +
                   (noise.second_state > 0 && uniform(random) < 0.3 ? noise.second_state : 0);
    if (noise.disturbed_share > 0 && uniform(random) < noise.disturbed_share) {
      shift += 0.05 + 0.35 * uniform(random);
    }
    for (double& sample : samples) {
      sample = noise.value_ns * (1 + shift + noise.sample * normal(random));
    }
    return samples;
  };
  std::vector<double> many;
  for (int i = 0; i < 200'000; ++i) many.push_back(burst_of(1)[0]);
  std::sort(many.begin(), many.end());
  double const truth = quantile(many, noise.quantile);
  int covered = 0;
  double taken = 0;
  int near = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::uint64_t const seed = measurement_seed("trial " + std::to_string(trial));
    BurstStopping rule;
    rule.start({.quantile = noise.quantile}, 0);
    std::uint64_t index = 0;
    while (!rule.done() && rule.bursts() < 150) {
      auto samples = burst_of(samples_per_burst);
      for (double& sample : samples) {
        if (noise.tick_ns > 0) {
          // The kernel begins anywhere within a tick.
          double const phase = uniform(random) * noise.tick_ns;
          sample =
              (std::floor((phase + sample) / noise.tick_ns) - std::floor(phase / noise.tick_ns)) *
              noise.tick_ns;
        }
        sample += dither(seed, index++, noise.tick_ns);
      }
      rule.add_burst(std::move(samples), {});
    }
    auto const interval = rule.estimate().interval;
    near += std::abs(rule.estimate().value / noise.value_ns - 1) <= 0.01 ? 1 : 0;
    covered += interval->low <= truth && truth <= interval->high ? 1 : 0;
    taken += static_cast<double>(index);
  }
  return {covered / double{kTrials}, taken / kTrials, near / double{kTrials}};
}

TEST(Coverage, OfTheNoisesThatAreNotSlow) {
  struct {
    char const* name;
    Noise noise;
    std::size_t per_burst;
    double least_coverage;
    double most_samples;
  } const rows[] = {
      {"iid 0.5 %", {.sample = 0.005}, 8, 0.95, 75},
      {"iid 2 %", {.sample = 0.02}, 8, 0.93, 260},
      {"burst effect 0.3 %", {.sample = 0.002, .burst = 0.003}, 8, 0.93, 100},
      {"two clock states", {.sample = 0.002, .second_state = 0.008}, 8, 0.90, 130},
      {"32 ns tick", {.value_ns = 3'011, .sample = 0.003, .tick_ns = 32}, 8, 0.93, 160},
      {"32 ns tick, m = 20", {.value_ns = 3'011, .sample = 0.003, .tick_ns = 32}, 20, 0.93, 240},
  };
  for (auto const& row : rows) {
    Coverage const coverage = simulate(row.noise, row.per_burst);
    EXPECT_GE(coverage.share, row.least_coverage) << row.name;
    EXPECT_LE(coverage.samples, row.most_samples) << row.name;
    std::printf("%-20s m=%zu coverage %.3f, samples %.0f\n", row.name, row.per_burst,
                coverage.share, coverage.samples);
  }
}

// What others do on a CPU: six bursts of ten are slower, and the least disturbed twentieth is not.
TEST(Coverage, ALowQuantileIsThatOfWhatIsLeftAlone) {
  Noise noise{.sample = 0.002, .quantile = 0.05};
  Coverage const quiet = simulate(noise, 20);
  EXPECT_GE(quiet.share, 0.93);
  EXPECT_LE(quiet.samples, 200);
  noise.disturbed_share = 0.6;
  Coverage const low = simulate(noise, 20);
  EXPECT_GE(low.share, 0.93);
  EXPECT_GE(low.near, 0.97);
  noise.quantile = 0.5;
  Coverage const middle = simulate(noise, 20);
  EXPECT_LE(middle.near, 0.5);
  std::printf("quiet %.3f (%.0f samples), disturbed %.3f (%.0f); near %.3f, the median %.3f\n",
              quiet.share, quiet.samples, low.share, low.samples, low.near, middle.near);
}

// ---- stopping ----

std::size_t bursts_until_done(BurstStoppingParams const& params, std::size_t per_burst,
                              double value_ns, double spread, BurstCost cost, BurstStop* why,
                              double offset_ns = 0) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, spread);
  BurstStopping rule;
  rule.start(params, offset_ns);
  while (!rule.done() && rule.bursts() < 10'000) {
    std::vector<double> samples(per_burst);
    for (double& sample : samples) sample = value_ns * (1 + normal(random));
    rule.add_burst(std::move(samples), cost);
  }
  *why = rule.why();
  return rule.bursts();
}

TEST(BurstStopping, QuietSamplesStopAtEightBurstsAndSixtyFourSamples) {
  BurstStop why{};
  EXPECT_EQ(bursts_until_done({}, 8, 20e3, 1e-4, {}, &why), 8u);
  EXPECT_EQ(why, BurstStop::interval);
  EXPECT_EQ(bursts_until_done({}, 4, 20e3, 1e-4, {}, &why), 17u);  // the first look at 64
}

TEST(BurstStopping, LongCallsNeedTenBurstsOfOne) {
  BurstStop why{};
  EXPECT_EQ(bursts_until_done({}, 1, 5e6, 1e-4, {5e6, 5e6}, &why), 10u);  // over the device's cap
  EXPECT_EQ(why, BurstStop::interval);
  EXPECT_EQ(bursts_until_done({}, 2, 1e6, 1e-4, {}, &why), 10u);  // not 32, for 64 samples
  EXPECT_EQ(why, BurstStop::interval);
}

TEST(BurstStopping, CapsEndWhatStaysRestless) {
  BurstStop why{};
  EXPECT_EQ(bursts_until_done({}, 8, 20e3, 0.5, {1.25e6, 2e6}, &why), 13u);
  EXPECT_EQ(why, BurstStop::max_device);
  EXPECT_EQ(bursts_until_done({}, 8, 20e3, 0.5, {10e6, 10e6}, &why), 8u);  // not before there are 8
  EXPECT_EQ(why, BurstStop::max_device);
  EXPECT_EQ(bursts_until_done({}, 8, 20e3, 0.5, {1e6, 50e6}, &why), 5u);
  EXPECT_EQ(why, BurstStop::max_wall);
}

TEST(BurstStopping, VeryLongCallsGetTenBurstsUpToTheLimit) {
  BurstStop why{};
  EXPECT_EQ(bursts_until_done({}, 1, 100e6, 0.1, {100e6, 100e6}, &why), 10u);
  EXPECT_EQ(why, BurstStop::max_device);
  EXPECT_EQ(bursts_until_done({}, 1, 4e9, 0.1, {4e9, 4e9}, &why), 3u);  // 10 s are over
}

TEST(BurstStopping, TheWidthIsAShareOfWhatRemainsOfTheMedian) {
  BurstStop why{};
  BurstCost const cost{1e6, 1e6};
  std::size_t const gross = bursts_until_done({}, 20, 3000, 0.01, cost, &why);
  std::size_t const net = bursts_until_done({}, 20, 3000, 0.01, cost, &why, 2000);
  EXPECT_GT(net, gross);
  BurstStoppingParams no_floor;
  no_floor.least_half_width_ns = 0;
  bursts_until_done(no_floor, 20, 3000, 0.01, cost, &why, 3000);
  EXPECT_EQ(why, BurstStop::max_device);  // nothing remains: never narrow
}

TEST(BurstStopping, WhereNothingRemainsAFewNanosecondsAreNarrowEnough) {
  BurstStop why{};
  bursts_until_done({}, 20, 1312, 0.001, {1e6, 1e6}, &why, 1312);
  EXPECT_EQ(why, BurstStop::interval);
}

// ---- drift, validation, visits, caliber ----

TEST(Drift, ASteadyRiseIsOneAndNoiseIsNot) {
  std::vector<double> at(12);
  std::iota(at.begin(), at.end(), 0.0);
  std::vector<double> rising;
  std::vector<double> noisy;
  std::vector<double> slightly;
  for (double const x : at) {
    rising.push_back(1000 + x);
    slightly.push_back(1000 + 0.2 * x);
    noisy.push_back(1000 + 20 * std::fmod(x * 0.618034, 1.0));
  }
  EXPECT_NEAR(theil_sen_slope(at, rising), 1, 1e-12);
  EXPECT_TRUE(is_drifting(at, rising));
  EXPECT_FALSE(is_drifting(at, slightly));  // sure, and too small to matter
  EXPECT_FALSE(is_drifting(at, noisy));
  rising[3] = 5000;  // one wild burst changes neither
  EXPECT_NEAR(theil_sen_slope(at, rising), 1, 0.2);
}

TEST(Drift, RankCorrelationHasTheProbabilityOfTheTables) {
  std::vector<double> const x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<double> const y{2, 1, 4, 3, 6, 5, 8, 7, 10, 9};  // r = 0.939
  EXPECT_NEAR(rank_correlation_p(x, y), 5.5e-5, 1e-5);
  EXPECT_EQ(rank_correlation_p({}, {}), 1);
}

TEST(Judge, OnlyWhatWasSeenBesideTheSamplesIsAReason) {
  EXPECT_EQ(judge({.clock_mhz = 1980}, 1980), Rejection::none);
  EXPECT_EQ(judge({.clock_mhz = 1965}, 1980), Rejection::none);
  EXPECT_EQ(judge({.clock_mhz = 1955}, 1980), Rejection::clock);
  EXPECT_EQ(judge({}, 1980), Rejection::none);  // not known is no evidence
  EXPECT_EQ(judge({.is_released_early = true}, 0), Rejection::early_release);
  EXPECT_EQ(judge({.is_host_bound = true}, 0), Rejection::host_bound);
  EXPECT_EQ(judge({.is_epoch_changed = true}, 0), Rejection::epoch);
  EXPECT_EQ(judge({.is_preempted = true}, 0), Rejection::preempted);
  EXPECT_EQ(judge({.clock_mhz = 1955, .is_slowed_down = true}, 1980), Rejection::slowdown);
  EXPECT_EQ(judge({.is_power_capped = true}, 1980), Rejection::none);
}

TEST(Visits, AgreeWithinOnePercentOrFourTimesTheUsualChange) {
  EXPECT_FALSE(do_visits_disagree(1000, 1009, {}));
  EXPECT_TRUE(do_visits_disagree(1000, 1011, {}));
  EXPECT_FALSE(do_visits_disagree(1000, 1011, {.tau = 0.003}));
}

// 32 ns of a kernel of 1.6 us are 2 %, and one tick of the clock.
TEST(Visits, AgreeWithinTheFloorWhateverItsShare) {
  EXPECT_TRUE(do_visits_disagree(1600, 1632, {}));
  EXPECT_FALSE(do_visits_disagree(1600, 1632, {.floor_ns = 64}));
  EXPECT_FALSE(do_visits_disagree(1600, 1664, {.floor_ns = 64}));
  EXPECT_TRUE(do_visits_disagree(1600, 1665, {.floor_ns = 64}));
  EXPECT_FALSE(do_visits_disagree(100'000, 100'900, {.floor_ns = 64}));
  auto const combined = combine_visits({{1600}, {1650}}, 0.5, {.floor_ns = 64});
  EXPECT_FALSE(combined.is_split);
  EXPECT_EQ(combined.value_ns, 1625);
}

TEST(Visits, WeighTheSameHoweverManySamplesTheyTook) {
  std::vector<double> const few{1000, 1001, 1002};
  std::vector<double> const many(300, 1008);
  auto const combined = combine_visits({few, many}, 0.5, {});
  EXPECT_FALSE(combined.is_split);
  EXPECT_EQ(combined.value_ns, (1002 + 1008) / 2.0);
  EXPECT_EQ(combine_visits({{1, 2, 3}}, 0.5, {}).value_ns, 2);
}

TEST(Visits, TheMiddleOneOfThreeWhenTheyDisagree) {
  auto const combined = combine_visits({{1000}, {1050}, {1048}}, 0.5, {});
  EXPECT_TRUE(combined.is_split);
  EXPECT_EQ(combined.value_ns, 1048);
}

TEST(Caliber, SaysHowTheNumberWasTaken) {
  EXPECT_EQ(to_text({"graph-evt", false, true, 2, true}), "graph-evt/cold-clean2x/net/burst/v1");
  EXPECT_EQ(to_text({"direct-blk", false, false, 1, true}), "direct-blk/cold-dirty1x/net/burst/v1");
  EXPECT_EQ(to_text({"direct-sync", true, true, 2, false}), "direct-sync/warm/raw/burst/v1");
}

}  // namespace
}  // namespace zl::timing
