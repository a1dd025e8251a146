#pragma once

#include <optional>
#include <span>
#include <vector>

namespace zl {

// All functions take samples in any one unit and answer in that unit. None changes its input.

// Mean of the two middle values for an even count. Needs at least one sample.
double median(std::span<double const> samples);

struct Interval {
  double low = 0;
  double high = 0;
};

// exp(mean(log x)): the only mean of ratios that does not depend on which side is the divisor.
// Empty without samples; every sample must be > 0.
std::optional<double> geometric_mean(std::span<double const> samples);

}  // namespace zl
