#include "timing/pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.h"
#include "timing/cluster_interval.h"
#include "timing/student.h"

namespace zl::timing {

namespace {

constexpr std::size_t kFewestPairs = 4;
constexpr double kResembles = 0.15;        // lag-1 correlation, as in cluster_interval.cc
constexpr double kMostCorrelation = 0.95;  // bounds the widening below

// Net median of each burst of each visit that counts; empty for a burst that does not.
std::vector<std::vector<std::optional<double>>> burst_medians(Record const& record) {
  double const offset = record.null_ns / static_cast<double>(record.calls_per_sample);
  std::vector<std::vector<std::optional<double>>> visits;
  std::size_t index = 0;
  for (Visit const& visit : record.visits) {
    std::vector<std::optional<double>> medians;
    for (Burst const& burst : visit.bursts) {
      auto const net = median(dithered_samples(record, burst, index)) - offset;
      bool const counts = burst.rejection == Rejection::none && net > 0;
      medians.push_back(counts ? std::optional(net) : std::nullopt);
      index += burst.intervals_ns.size();
    }
    if (!visit.is_discarded) visits.push_back(std::move(medians));
  }
  return visits;
}

std::vector<double> log_ratios(Record const& baseline, Record const& candidate) {
  auto const a = burst_medians(baseline);
  auto const b = burst_medians(candidate);
  std::vector<double> ratios;
  for (std::size_t visit = 0; visit < std::min(a.size(), b.size()); ++visit) {
    std::size_t const bursts = std::min(a[visit].size(), b[visit].size());
    for (std::size_t burst = 0; burst < bursts; ++burst) {
      auto const& above = a[visit][burst];
      auto const& below = b[visit][burst];
      if (above && below) ratios.push_back(std::log(*above / *below));
    }
  }
  return ratios;
}

// Of the mean of the logarithms.
Interval student_interval(std::vector<double> const& logs) {
  auto const count = static_cast<double>(logs.size());
  double const mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double squares = 0;
  for (double const value : logs) squares += (value - mean) * (value - mean);
  double error = std::sqrt(squares / (count - 1) / count);
  double const left = std::min(lag_one_correlation(logs), kMostCorrelation);
  if (left > kResembles) error *= std::sqrt((1 + left) / (1 - left));
  double const reach = student_quantile(0.975, count - 1) * error;
  return {mean - reach, mean + reach};
}

// Logarithms too: the reaches of both sides to where the ratio is smaller, and to where it is
// larger.
std::optional<Interval> interval_of_values(Summary const& a, Summary const& b) {
  if (!a.interval_ns || !b.interval_ns) return std::nullopt;
  if (a.interval_ns->low <= 0 || b.interval_ns->low <= 0) return std::nullopt;
  auto const reach = [](double first, double second) {
    return std::sqrt(first * first + second * second);
  };
  double const log_ratio = std::log(a.value_ns / b.value_ns);
  double const down =
      reach(std::log(a.value_ns / a.interval_ns->low), std::log(b.interval_ns->high / b.value_ns));
  double const up =
      reach(std::log(a.interval_ns->high / a.value_ns), std::log(b.value_ns / b.interval_ns->low));
  return Interval{log_ratio - down, log_ratio + up};
}

}  // namespace

std::optional<PairSummary> summarise_pair(Record const& baseline, Record const& candidate) {
  auto const a = summarise(baseline);
  auto const b = summarise(candidate);
  if (!a || !b || a->value_ns <= 0 || b->value_ns <= 0) return std::nullopt;
  PairSummary pair;
  pair.speedup = a->value_ns / b->value_ns;
  std::vector<double> const logs = log_ratios(baseline, candidate);
  pair.pairs = logs.size();
  // Of a low quantile the bursts tell little: most of theirs are above it.
  bool const is_paired = baseline.quantile == 0.5 && logs.size() >= kFewestPairs;
  std::optional<Interval> const found =
      is_paired ? student_interval(logs) : interval_of_values(*a, *b);
  // The ratio of the values is not the mean of the bursts' ratios: the interval must hold it
  // still.
  if (found) {
    pair.interval = Interval{std::min(std::exp(found->low), pair.speedup),
                             std::max(std::exp(found->high), pair.speedup)};
  }
  return pair;
}

std::string to_json_line(PairSummary const& pair) {
  Json json{{"speedup", pair.speedup}, {"pairs", pair.pairs}};
  if (pair.interval) {
    json["speedup_low"] = pair.interval->low;
    json["speedup_high"] = pair.interval->high;
  }
  return to_line(json);
}

}  // namespace zl::timing
