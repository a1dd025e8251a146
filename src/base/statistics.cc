#include "base/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace zl {

double median(std::span<double const> samples) {
  ZL_CHECK(!samples.empty(), "the median needs a sample");
  std::vector<double> copy(samples.begin(), samples.end());
  std::size_t const middle = copy.size() / 2;
  auto const at_middle = copy.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(copy.begin(), at_middle, copy.end());
  if (copy.size() % 2 == 1) return *at_middle;
  double const below = *std::max_element(copy.begin(), at_middle);
  return below + (*at_middle - below) / 2;
}

std::optional<double> geometric_mean(std::span<double const> samples) {
  if (samples.empty()) return std::nullopt;
  double sum = 0;
  for (double const sample : samples) {
    ZL_CHECK(sample > 0, "a geometric mean needs values above zero");
    sum += std::log(sample);
  }
  return std::exp(sum / static_cast<double>(samples.size()));
}

}  // namespace zl
