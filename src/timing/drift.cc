#include "timing/drift.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/statistics.h"
#include "timing/student.h"

namespace zl::timing {

namespace {

constexpr double kMovement = 0.005;
constexpr double kChance = 0.01;
constexpr std::size_t kFewest = 5;  // below, no order of the ranks is rarer than 1 %

// Equal values share the mean of their ranks.
std::vector<double> ranks(std::span<double const> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    double const shared = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) result[order[i]] = shared;
    begin = end;
  }
  return result;
}

double correlation(std::span<double const> x, std::span<double const> y) {
  auto const count = static_cast<double>(x.size());
  double const mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  double const mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace

double theil_sen_slope(std::span<double const> x, std::span<double const> y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (x[j] != x[i]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  return slopes.empty() ? 0 : median(slopes);
}

double rank_correlation_p(std::span<double const> x, std::span<double const> y) {
  if (x.size() < kFewest) return 1;
  double const r = correlation(ranks(x), ranks(y));
  double const degrees = static_cast<double>(x.size()) - 2;
  double const rest = 1 - r * r;
  if (rest <= 0) return 0;
  return 2 * (1 - student_cdf(std::abs(r) * std::sqrt(degrees / rest), degrees));
}

bool is_drifting(std::span<double const> start_ns, std::span<double const> medians_ns) {
  if (start_ns.size() < kFewest) return false;
  auto const [first, last] = std::minmax_element(start_ns.begin(), start_ns.end());
  double const movement = theil_sen_slope(start_ns, medians_ns) * (*last - *first);
  return std::abs(movement) > kMovement * median(medians_ns) &&
         rank_correlation_p(start_ns, medians_ns) < kChance;
}

}  // namespace zl::timing
