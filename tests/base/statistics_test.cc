#include "base/statistics.h"

#include <gtest/gtest.h>
#include <vector>

namespace zl {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Statistics, GeometricMeanDoesNotDependOnTheDivisor) {
  std::vector<double> const ratios{2, 0.5, 4};
  std::vector<double> const inverse{0.5, 2, 0.25};
  EXPECT_NEAR(*geometric_mean(ratios) * *geometric_mean(inverse), 1, 1e-12);
  EXPECT_FALSE(geometric_mean(std::vector<double>{}));
}

}  // namespace
}  // namespace zl
