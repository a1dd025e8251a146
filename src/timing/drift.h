#pragma once

#include <span>

namespace zl::timing {

// The median of the slopes between all pairs; 0 below two points or without spread in x.
double theil_sen_slope(std::span<double const> x, std::span<double const> y);

// Two-sided probability that ranks of unrelated values agree this well (Spearman, by Student's t).
double rank_correlation_p(std::span<double const> x, std::span<double const> y);

// Whether the bursts' medians move with time by more than chance explains and more than 0.5 % of
// their own size over the whole span.
bool is_drifting(std::span<double const> start_ns, std::span<double const> medians_ns);

}  // namespace zl::timing
