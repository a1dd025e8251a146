#include "timing/record.h"

#include <algorithm>
#include <cmath>

#include "timing/dither.h"

namespace zl::timing {

namespace {

constexpr double kTickLimit = 0.0025;  // of the value; a coarser tick leans on the dither
constexpr double kNormal95 = 1.96;
constexpr double kAgreeTicks = 2;

// The accepted bursts of one visit.
using Bursts = std::vector<std::vector<double>>;

struct Collected {
  std::vector<Bursts> visits;
  std::vector<double> clocks;
  std::vector<double> cycles;  // of each sample
  std::vector<double> host_ns;
  std::size_t rejected = 0;
};

void add_cycles(Burst const& burst, std::vector<double> const& samples, double offset,
                Collected* result) {
  double const clock_mhz = burst.evidence.clock_mhz;
  if (clock_mhz <= 0) return;
  result->clocks.push_back(clock_mhz);
  for (double const sample : samples) result->cycles.push_back((sample - offset) * clock_mhz / 1e3);
}

Collected collect(Record const& record) {
  Collected result;
  std::size_t index = 0;
  auto const calls = static_cast<double>(record.calls_per_sample);
  for (Visit const& visit : record.visits) {
    Bursts accepted;
    for (Burst const& burst : visit.bursts) {
      bool const counts = burst.rejection == Rejection::none && !visit.is_discarded;
      if (counts) {
        accepted.push_back(dithered_samples(record, burst, index));
        add_cycles(burst, accepted.back(), record.null_ns / calls, &result);
        for (double const host : burst.host_ns) result.host_ns.push_back(host / calls);
      } else {
        ++result.rejected;
      }
      index += burst.intervals_ns.size();
    }
    if (!accepted.empty()) result.visits.push_back(std::move(accepted));
  }
  return result;
}

std::vector<double> flatten(Bursts const& bursts) {
  std::vector<double> samples;
  for (auto const& burst : bursts) samples.insert(samples.end(), burst.begin(), burst.end());
  return samples;
}

void add_quantiles(std::vector<double> samples, double offset, Summary* summary) {
  std::sort(samples.begin(), samples.end());
  auto const at = [&](double share) { return quantile(samples, share) - offset; };
  summary->samples = samples.size();
  summary->min_ns = at(0);
  summary->p5_ns = at(0.05);
  summary->p25_ns = at(0.25);
  summary->p75_ns = at(0.75);
  summary->p95_ns = at(0.95);
  summary->p99_ns = at(0.99);
  summary->max_ns = at(1);
  summary->iqr_ns = summary->p75_ns - summary->p25_ns;
  double const far = summary->p75_ns + 3 * summary->iqr_ns + offset;
  summary->far_out = static_cast<std::size_t>(
      samples.end() - std::upper_bound(samples.begin(), samples.end(), far));
}

// std::hypot is not the same to the last bit in every libm; a square root is.
double root_sum_square(double a, double b) {
  return std::sqrt(a * a + b * b);
}

// The interval of the pooled samples, moved to the net time.
void add_interval(Interval const& pooled, double offset, double tau, Summary* summary) {
  // Visits weigh the same in the value, samples in the interval: it must hold the value still.
  Interval const net{std::min(pooled.low - offset, summary->value_ns),
                     std::max(pooled.high - offset, summary->value_ns)};
  double const half_ns = (net.high - net.low) / 2;
  summary->interval_ns = net;
  if (summary->value_ns > 0) summary->ci95_relative = half_ns / summary->value_ns;
  if (tau > 0) summary->ci95_rep_ns = root_sum_square(half_ns, kNormal95 * tau * summary->value_ns);
}

void add_flags(Record const& record, bool is_split, Summary* summary) {
  auto const any = [&](auto const& claim) {
    return std::any_of(record.visits.begin(), record.visits.end(),
                       [&](Visit const& visit) { return !visit.is_discarded && claim(visit); });
  };
  auto const flag = [&](bool holds, char const* name) {
    if (holds) summary->flags.emplace_back(name);
  };
  auto const calls = static_cast<double>(record.calls_per_sample);
  flag(record.tick_ns > kTickLimit * calls * summary->value_ns, "tick_limited");
  flag(any([](Visit const& v) { return v.why == BurstStop::none; }), "unstable_clock");
  flag(any([](Visit const& v) {
         return v.why == BurstStop::max_device || v.why == BurstStop::max_wall;
       }),
       "ci_unmet");
  flag(any([](Visit const& v) { return v.is_drifting; }), "drift");
  flag(any([](Visit const& v) { return v.is_power_capped; }), "power_capped");
  flag(is_split, "visit_split");
  flag(summary->visit_values_ns.size() < 2, "single_visit");
}

}  // namespace

VisitTolerance visit_tolerance(Record const& record) {
  return {record.tau, kAgreeTicks * record.tick_ns / static_cast<double>(record.calls_per_sample)};
}

std::vector<double> dithered_samples(Record const& record, Burst const& burst,
                                     std::size_t first_index) {
  std::uint64_t const seed = measurement_seed(record.id);
  std::vector<double> samples;
  for (double const interval : burst.intervals_ns) {
    double const moved = interval + dither(seed, first_index + samples.size(), record.tick_ns);
    samples.push_back(moved / static_cast<double>(record.calls_per_sample));
  }
  return samples;
}

std::optional<Summary> summarise(Record const& record) {
  Collected const collected = collect(record);
  if (collected.visits.empty()) return std::nullopt;
  double const offset = record.null_ns / static_cast<double>(record.calls_per_sample);
  std::vector<std::vector<double>> visit_samples;
  Bursts all;
  Summary summary;
  for (Bursts const& visit : collected.visits) {
    visit_samples.push_back(flatten(visit));
    summary.visit_values_ns.push_back(quantile_of(visit_samples.back(), record.quantile) - offset);
    all.insert(all.end(), visit.begin(), visit.end());
  }
  auto const tolerance = visit_tolerance(record);
  CombinedVisits const combined = combine_visits(visit_samples, record.quantile, tolerance);
  ClusterEstimate const estimate = estimate_quantile(all, record.quantile);
  summary.value_ns = combined.value_ns - offset;
  bool const is_median = record.quantile == 0.5;
  summary.median_ns = is_median ? summary.value_ns
                                : combine_visits(visit_samples, 0.5, tolerance).value_ns - offset;
  if (estimate.interval) add_interval(*estimate.interval, offset, record.tau, &summary);
  add_quantiles(flatten(all), offset, &summary);
  summary.bursts = all.size();
  summary.visits = collected.visits.size();
  summary.rejected_bursts = collected.rejected;
  if (!collected.clocks.empty()) {
    summary.clock_mhz = median(collected.clocks);
    summary.cycles = median(collected.cycles);
  }
  if (!collected.host_ns.empty()) summary.host_ns = median(collected.host_ns);
  add_flags(record, combined.is_split, &summary);
  return summary;
}

}  // namespace zl::timing
