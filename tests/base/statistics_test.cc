#include "base/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace zl {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

// Ranks from the table of the binomial sign interval (Conover, table A3): n=6: 1..6, n=10: 2..9,
// n=20: 6..15, n=100: 40..61.
TEST(Statistics, MedianIntervalTakesTheTabulatedRanks) {
  struct Row {
    int n;
    double low;
    double high;
  };
  for (Row const row : {Row{6, 1, 6}, Row{10, 2, 9}, Row{20, 6, 15}, Row{100, 40, 61}}) {
    auto const interval = median_interval(one_to(row.n));
    ASSERT_TRUE(interval) << row.n;
    EXPECT_EQ(interval->low, row.low) << row.n;
    EXPECT_EQ(interval->high, row.high) << row.n;
  }
}

TEST(Statistics, NoIntervalFromFewerThanSixSamples) {
  EXPECT_FALSE(median_interval(one_to(5)));
  EXPECT_FALSE(median_interval(std::vector<double>{}));
}

TEST(Statistics, IntervalOfManySamplesIsNeitherEmptyNorWide) {
  auto const interval = median_interval(one_to(10000));
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 5000 - 0.98 * 100, 3);  // n/2 - 1.96 sqrt(n)/2
  EXPECT_NEAR(interval->high, 5001 + 0.98 * 100, 3);
}

TEST(Statistics, IntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937 generator(7);
  std::exponential_distribution<double> skewed(1.0);
  double const truth = std::log(2.0);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(50);
    for (double& sample : samples) sample = skewed(generator);
    auto const interval = median_interval(samples);
    covered += interval->low <= truth && truth <= interval->high ? 1 : 0;
  }
  EXPECT_GT(covered, kTrials * 0.94);
  EXPECT_LT(covered, kTrials * 0.985);
}

TEST(Statistics, GeometricMeanDoesNotDependOnTheDivisor) {
  std::vector<double> const ratios{2, 0.5, 4};
  std::vector<double> const inverse{0.5, 2, 0.25};
  EXPECT_NEAR(*geometric_mean(ratios) * *geometric_mean(inverse), 1, 1e-12);
  EXPECT_FALSE(geometric_mean(std::vector<double>{}));
}

}  // namespace
}  // namespace zl
