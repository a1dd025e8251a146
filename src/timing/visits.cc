#include "timing/visits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/result.h"
#include "base/statistics.h"
#include "timing/cluster_interval.h"

namespace zl::timing {

namespace {

// Where `share` of the weight lies below; the mean of two samples when it falls between them.
double weighted_quantile(std::vector<std::pair<double, double>> samples, double share) {
  std::sort(samples.begin(), samples.end());
  double total = 0;
  for (auto const& [value, weight] : samples) total += weight;
  double const wanted = share * total;
  double const slack = total * 1e-9;
  double below = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    below += samples[i].second;
    if (below < wanted - slack) continue;
    bool const is_between = below <= wanted + slack && i + 1 < samples.size();
    return is_between ? (samples[i].first + samples[i + 1].first) / 2 : samples[i].first;
  }
  return samples.back().first;
}

}  // namespace

bool do_visits_disagree(double first_ns, double second_ns, VisitTolerance const& tolerance) {
  double const smaller_ns = std::min(std::abs(first_ns), std::abs(second_ns));
  double const allowed_ns = std::max(0.01, 4 * tolerance.tau) * smaller_ns;
  return std::abs(first_ns - second_ns) > std::max(allowed_ns, tolerance.floor_ns);
}

CombinedVisits combine_visits(std::vector<std::vector<double>> const& visits, double share,
                              VisitTolerance const& tolerance) {
  ZL_CHECK(!visits.empty(), "a result needs a visit");
  std::vector<double> values;
  std::vector<std::pair<double, double>> pooled;
  for (auto const& visit : visits) {
    values.push_back(quantile_of(visit, share));
    for (double const sample : visit) {
      pooled.emplace_back(sample, 1 / static_cast<double>(visit.size()));
    }
  }
  bool const is_split = values.size() > 1 && do_visits_disagree(values[0], values[1], tolerance);
  if (is_split) return {quantile_of(values, share), true};
  return {weighted_quantile(std::move(pooled), share), false};
}

}  // namespace zl::timing
