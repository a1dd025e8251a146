#include "timing/host_timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sys/resource.h>
#include <utility>

namespace zl::timing {

namespace {

// A call that is over in less than this share of a clock tick does nothing at all; the limit keeps
// the search for a count finite.
constexpr std::size_t kMaxCallsPerSample = std::size_t{1} << 20;
// One sample may be far off (the first call, an interrupt): never trust it for a larger step.
constexpr double kMaxGrowth = 10;

// The smallest step seen between readings that follow each other.
double measure_tick(HostTimer::Clock const& clock) {
  constexpr int kReadings = 100;
  double smallest = 0;
  std::int64_t last = clock();
  for (int i = 0; i < kReadings; ++i) {
    std::int64_t const now = clock();
    auto const step = static_cast<double>(now - last);
    if (step > 0 && (smallest == 0 || step < smallest)) smallest = step;
    last = now;
  }
  return smallest;
}

}  // namespace

struct HostTimer::Side {
  TimedCall call;
  std::size_t calls_per_sample = 1;
  double warm_ns = 0;  // per call, of the last warm-up sample
  std::size_t preempted_samples = 0;
  MedianStopping stopping;
};

HostTimer::HostTimer(HostTimerParams params, Clock clock, Preemptions preemptions)
    : params_(params),
      clock_(std::move(clock)),
      preemptions_(std::move(preemptions)),
      tick_ns_(measure_tick(clock_)) {}

// Time per call over `count` calls; empty when one of them failed.
std::optional<double> HostTimer::sample_ns(TimedCall const& call, std::size_t count) {
  int failed = 0;
  std::int64_t const begin = clock_();
  for (std::size_t i = 0; i < count; ++i) failed |= call.call(call.state);
  std::int64_t const end = clock_();
  if (failed != 0) return std::nullopt;
  return static_cast<double>(end - begin) / static_cast<double>(count);
}

// As sample_ns, but taken again if it was preempted.
std::optional<double> HostTimer::kept_sample_ns(Side& side) {
  for (int retakes = 0;; ++retakes) {
    long const before = preemptions_();
    auto const sample = sample_ns(side.call, side.calls_per_sample);
    bool const is_preempted = preemptions_() != before;
    if (!sample || !is_preempted) return sample;
    if (retakes < params_.max_retakes) continue;
    ++side.preempted_samples;
    return sample;
  }
}

// Finds how many calls make a sample, and calls until the side is warm or the cap is reached.
bool HostTimer::warm_up(Side& side) {
  double const long_enough = std::max(params_.min_sample_ns, params_.min_sample_ticks * tick_ns_);
  double spent_ns = 0;
  std::optional<double> last;
  while (true) {
    auto const per_call = sample_ns(side.call, side.calls_per_sample);
    if (!per_call) return false;
    side.warm_ns = *per_call;
    double const lasted = *per_call * static_cast<double>(side.calls_per_sample);
    spent_ns += lasted;
    if (lasted < long_enough && side.calls_per_sample < kMaxCallsPerSample) {
      // A tenth more than needed, so that a slightly faster sample is still long enough.
      double const growth = lasted > 0 ? 1.1 * long_enough / lasted : kMaxGrowth;
      double const calls =
          std::ceil(static_cast<double>(side.calls_per_sample) * std::min(growth, kMaxGrowth));
      side.calls_per_sample = std::min(kMaxCallsPerSample, static_cast<std::size_t>(calls));
      last.reset();
      continue;
    }
    if (last && std::abs(*per_call - *last) <= params_.warm_agreement * *last) return true;
    if (spent_ns >= params_.max_warm_ns) return true;
    last = per_call;
  }
}

bool HostTimer::visit(Side& side) {
  double const sample_cost = side.warm_ns * static_cast<double>(side.calls_per_sample);
  double const wanted = sample_cost > 0 ? params_.visit_ns / sample_cost : 0;
  auto const count =
      static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(params_.min_visit_samples),
                                          static_cast<double>(params_.max_visit_samples)));
  if (!sample_ns(side.call, side.calls_per_sample)) return false;
  for (std::size_t i = 0; i < count && !side.stopping.is_exhausted(); ++i) {
    auto const sample = kept_sample_ns(side);
    if (!sample) return false;
    side.stopping.add(*sample);
  }
  return true;
}

InterleavedTiming HostTimer::measure(std::vector<TimedCall> const& calls,
                                     std::function<bool()> const& should_stop) {
  InterleavedTiming result;
  auto const fail_at = [&](std::size_t side) {
    return InterleavedTiming{TimingEnd::call_failed, side, {}};
  };
  std::vector<Side> sides;
  for (TimedCall const& call : calls) {
    if (should_stop()) return {TimingEnd::stopped, 0, {}};
    Side& side = sides.emplace_back();
    side.call = call;
    if (!warm_up(side)) return fail_at(sides.size() - 1);
    side.stopping.start(params_.stopping, side.calls_per_sample);
  }
  auto const is_done = [](Side const& side) { return side.stopping.done(); };
  while (!std::all_of(sides.begin(), sides.end(), is_done)) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (should_stop()) return {TimingEnd::stopped, 0, {}};
      if (!sides[i].stopping.is_exhausted() && !visit(sides[i])) return fail_at(i);
    }
  }
  for (Side const& side : sides) {
    auto const& samples = side.stopping.samples_ns();
    result.timings.push_back({median(samples), side.stopping.interval_ns(), samples.size(),
                              side.calls_per_sample, side.preempted_samples, side.stopping.why()});
  }
  return result;
}

HostTimer::Preemptions thread_preemptions() {
  return [] {
    rusage usage{};
    return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
  };
}

HostTimer::Clock steady_clock_ns() {
  return [] {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::int64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  };
}

}  // namespace zl::timing
