#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics.h"

namespace zl::timing {

// The value below which a share lies, between the neighbouring samples; `sorted` is not empty.
double quantile(std::span<double const> sorted, double share);
// The same of values in any order.
double quantile_of(std::vector<double> values, double share);

// Correlation of each value with the one before it; 0 where there is none to be seen.
double lag_one_correlation(std::span<double const> values);

struct ClusterEstimate {
  double value = 0;                  // the quantile of all samples
  std::optional<Interval> interval;  // 95 %, of the quantile; empty below two bursts
  std::size_t clusters = 0;          // bursts, or what they were merged into
};

// Samples of one burst are not independent of each other; bursts are, nearly. So the interval comes
// from how the share of samples below the quantile differs from burst to burst (Woodruff 1952, with
// bursts as clusters). Neighbours are merged while they resemble each other. No burst is empty;
// `share` is 0.5 for the median.
ClusterEstimate estimate_quantile(std::vector<std::vector<double>> const& bursts, double share);

}  // namespace zl::timing
