#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"

namespace zl::bench {

// A line that is out when this returns, whatever happens next.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  auto const line = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

inline std::string list(std::span<double const> values, int digits = 0) {
  std::string text;
  for (double const value : values) {
    text += fmt::format("{}{:.{}f}", text.empty() ? "" : " ", value, digits);
  }
  return text;
}

inline double mean(std::span<double const> values) {
  double sum = 0;
  for (double const value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Mean of the middle half: as steady as a median, and finer than the step of a clock.
inline double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t const quarter = values.size() / 4;
  return mean(std::span(values).subspan(quarter, values.size() - 2 * quarter));
}

inline double deviation(std::span<double const> values) {
  double const centre = mean(values);
  double sum = 0;
  for (double const value : values) sum += (value - centre) * (value - centre);
  return values.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// (max - min) / median, in per cent.
inline double spread_pct(std::span<double const> values) {
  if (values.empty()) return 0;
  auto const [low, high] = std::minmax_element(values.begin(), values.end());
  double const centre = median(values);
  return centre > 0 ? 100 * (*high - *low) / centre : 0;
}

inline double correlation(std::span<double const> a, std::span<double const> b) {
  double const mean_a = mean(a);
  double const mean_b = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace zl::bench
