#include "timing/cluster_interval.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/result.h"
#include "timing/student.h"

namespace zl::timing {

namespace {

constexpr double kResembles = 0.15;        // lag-1 correlation
constexpr std::size_t kMergeFrom = 16;     // so that at least 8 clusters remain
constexpr double kMostCorrelation = 0.95;  // bounds the widening below

struct Cluster {
  double below = 0;
  double count = 0;
};

std::vector<double> shares(std::vector<Cluster> const& clusters) {
  std::vector<double> result;
  for (Cluster const& cluster : clusters) result.push_back(cluster.below / cluster.count);
  return result;
}

double mean(std::span<double const> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(std::span<double const> values) {
  double const centre = mean(values);
  double sum = 0;
  for (double const value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

std::vector<Cluster> merge_pairs(std::vector<Cluster> const& clusters) {
  std::vector<Cluster> merged;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    // An odd one out joins the last pair.
    if (i % 2 == 0 && i + 1 < clusters.size()) merged.emplace_back();
    merged.back().below += clusters[i].below;
    merged.back().count += clusters[i].count;
  }
  return merged;
}

// Samples equal to the value count half, or ties would look like agreement between bursts.
std::vector<Cluster> count_below(std::vector<std::vector<double>> const& bursts, double value) {
  std::vector<Cluster> clusters;
  for (auto const& burst : bursts) {
    Cluster& cluster = clusters.emplace_back();
    cluster.count = static_cast<double>(burst.size());
    for (double const sample : burst) {
      cluster.below += sample < value ? 1 : (sample == value ? 0.5 : 0);
    }
  }
  return clusters;
}

}  // namespace

double quantile(std::span<double const> sorted, double share) {
  double const position = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  auto const index = static_cast<std::size_t>(position);
  if (index + 1 >= sorted.size()) return sorted.back();
  double const fraction = position - static_cast<double>(index);
  return sorted[index] + fraction * (sorted[index + 1] - sorted[index]);
}

double quantile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return quantile(values, share);
}

double lag_one_correlation(std::span<double const> values) {
  if (values.size() < 3) return 0;
  double const centre = mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - centre) * (values[i] - centre);
    if (i > 0) products += (values[i] - centre) * (values[i - 1] - centre);
  }
  return squares > 0 ? products / squares : 0;
}

ClusterEstimate estimate_quantile(std::vector<std::vector<double>> const& bursts, double share) {
  std::vector<double> pooled;
  for (auto const& burst : bursts) pooled.insert(pooled.end(), burst.begin(), burst.end());
  ZL_CHECK(!pooled.empty(), "a quantile needs a sample");
  std::sort(pooled.begin(), pooled.end());
  ClusterEstimate estimate;
  estimate.value = quantile(pooled, share);
  auto clusters = count_below(bursts, estimate.value);
  auto below = shares(clusters);
  while (clusters.size() >= kMergeFrom && lag_one_correlation(below) > kResembles) {
    clusters = merge_pairs(clusters);
    below = shares(clusters);
  }
  estimate.clusters = clusters.size();
  if (clusters.size() < 2) return estimate;
  auto const count = static_cast<double>(clusters.size());
  // The floor is the binomial error of independent samples: few bursts may agree by chance.
  double error = std::max(deviation(below) / std::sqrt(count),
                          std::sqrt(share * (1 - share) / static_cast<double>(pooled.size())));
  double const left = std::min(lag_one_correlation(below), kMostCorrelation);
  if (left > kResembles) error *= std::sqrt((1 + left) / (1 - left));
  double const reach = student_quantile(0.975, count - 1) * error;
  estimate.interval = Interval{quantile(pooled, share - reach), quantile(pooled, share + reach)};
  return estimate;
}

}  // namespace zl::timing
