#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::optional<Interval> median_interval(std::span<double const> samples, double confidence) {
  auto const n = static_cast<double>(samples.size());
  // The largest k with P(Binomial(n, 1/2) < k) <= alpha/2: x(k) .. x(n+1-k) then covers the median.
  // Terms are kept as logarithms, since 2^-n underflows from 1,075 samples on.
  double const tail = (1 - confidence) / 2;
  double log_term = -n * std::log(2.0);
  double cumulative = 0;
  std::size_t k = 0;
  while (k < samples.size() / 2 && cumulative + std::exp(log_term) <= tail) {
    cumulative += std::exp(log_term);
    log_term += std::log((n - static_cast<double>(k)) / (static_cast<double>(k) + 1));
    ++k;
  }
  if (k == 0) return std::nullopt;
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return Interval{copy[k - 1], copy[copy.size() - k]};
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
