#include "timing/host_source.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sys/resource.h>

#include "base/statistics.h"

namespace zl::timing {

namespace {

// A call that is over in less than this share of a clock tick does nothing at all; the limit keeps
// the search for a count finite.
constexpr std::size_t kMaxCallsPerSample = std::size_t{1} << 20;
// One sample may be far off (the first call, an interrupt): never trust it for a larger step.
constexpr double kMaxGrowth = 10;

constexpr int kReadings = 1000;
constexpr int kNullSamples = 200;
constexpr std::size_t kNullCalls = 4096;

struct Interval_ns {
  double ns = 0;
  bool has_failed = false;
};

Interval_ns time_calls(HostEnvironment const& host, TimedCall const& call, std::size_t count) {
  int failed = 0;
  std::int64_t const begin_ns = host.now_ns();
  for (std::size_t i = 0; i < count; ++i) failed |= call.call(call.state);
  std::int64_t const end_ns = host.now_ns();
  return {static_cast<double>(end_ns - begin_ns), failed != 0};
}

int do_nothing(void* /*state*/) {
  return 0;
}

}  // namespace

HostWatch real_watch() {
  auto const preemptions = [] {
    rusage usage{};
    return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
  };
  return {preemptions, [] { return false; }};
}

HostNull measure_host_null(HostEnvironment const& host) {
  // The compiler must not know what is called: it would not call it.
  int (*volatile nothing)(void*) = &do_nothing;
  TimedCall const call{nothing, nullptr};
  auto const typical_ns = [&](std::size_t calls) {
    std::vector<double> samples;
    for (int i = 0; i < kNullSamples; ++i) samples.push_back(time_calls(host, call, calls).ns);
    return median(samples);
  };
  double const one_ns = typical_ns(1);
  double const many_ns = typical_ns(kNullCalls);
  double const call_ns = std::max(0.0, (many_ns - one_ns) / (kNullCalls - 1));
  return {std::max(0.0, one_ns - call_ns), call_ns};
}

double measure_host_tick(HostEnvironment const& host) {
  std::vector<double> steps{0};
  std::int64_t last_ns = host.now_ns();
  for (int i = 0; i < kReadings; ++i) {
    std::int64_t const now_ns = host.now_ns();
    steps.push_back(static_cast<double>(now_ns - last_ns));
    last_ns = now_ns;
  }
  std::sort(steps.begin(), steps.end());
  double tick_ns = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    double const apart_ns = steps[i] - steps[i - 1];
    if (apart_ns > 0 && (tick_ns == 0 || apart_ns < tick_ns)) tick_ns = apart_ns;
  }
  return tick_ns;
}

HostSource::HostSource(HostEnvironment const& host, HostWatch const& watch, DirectCalls calls,
                       HostParams params)
    : host_(host), watch_(watch), calls_(calls), params_(params), shape_{1, 1, false} {}

DeviceResult<void> HostSource::run_call(TimedCall const& call, char const* failure) {
  auto const outcome = timing::run_call(call, failure);
  has_failed_ = has_failed_ || !outcome;
  return outcome;
}

DeviceResult<void> HostSource::begin_visit() {
  bursts_ = rejected_ = 0;
  rejected_ns_ = 0;
  return run_call(calls_.enter, "entering the context of the call that is measured failed");
}

void HostSource::end_visit() {
  // A context that cannot be left shows in what is called next.
  if (calls_.leave.call != nullptr) calls_.leave.call(calls_.leave.state);
}

DeviceResult<double> HostSource::sample_ns() {
  ZL_TRY_DEVICE(run_call(calls_.prepare, "putting back what the call changes failed"));
  Interval_ns const interval = time_calls(host_, calls_.call, shape_.calls_per_sample);
  if (!interval.has_failed) return interval.ns;
  has_failed_ = true;
  return device_fail("call_failed", kMeasuredCallFailed);
}

DeviceResult<double> HostSource::kept_sample_ns(bool* is_preempted) {
  // A burst of one sample is taken again as a whole.
  int const retakes = shape_.samples > 1 ? 1 : 0;
  for (int taken = 0;; ++taken) {
    long const before = watch_.preemptions();
    auto const sample = sample_ns();
    bool const is_disturbed = watch_.preemptions() != before;
    if (sample && is_disturbed && taken < retakes) continue;
    *is_preempted = *is_preempted || is_disturbed;
    return sample;
  }
}

DeviceResult<void> HostSource::settle(double tick_ns) {
  ZL_TRY_DEVICE(begin_visit());
  auto const warm = warm_up(std::max(params_.min_sample_ns, params_.min_sample_ticks * tick_ns));
  end_visit();
  ZL_TRY_DEVICE(warm);
  double const sample = call_ns_ * static_cast<double>(shape_.calls_per_sample);
  double const samples = sample > 0 ? std::round(params_.burst_ns / sample) : kMaxSamplesPerBurst;
  shape_.samples = static_cast<std::size_t>(std::clamp<double>(samples, 1, kMaxSamplesPerBurst));
  return {};
}

DeviceResult<void> HostSource::warm_up(double least_ns) {
  // A call that changes its inputs is a sample by itself.
  bool const is_changed = calls_.prepare.call != nullptr;
  double spent_ns = 0;
  std::optional<double> last_ns;
  while (true) {
    if (watch_.should_stop()) return device_fail(kStopped, "stopped while it was warmed up");
    auto const sample = sample_ns();
    if (!sample) return tl::unexpected<DeviceError>(sample.error());
    spent_ns += *sample;
    call_ns_ = *sample / static_cast<double>(shape_.calls_per_sample);
    if (*sample < least_ns && !is_changed && shape_.calls_per_sample < kMaxCallsPerSample) {
      // A tenth more than needed, so that a slightly faster sample is still long enough.
      double const growth = *sample > 0 ? 1.1 * least_ns / *sample : kMaxGrowth;
      double const calls =
          std::ceil(static_cast<double>(shape_.calls_per_sample) * std::min(growth, kMaxGrowth));
      shape_.calls_per_sample = std::min(kMaxCallsPerSample, static_cast<std::size_t>(calls));
      last_ns.reset();
      continue;
    }
    bool const is_warm =
        last_ns && std::abs(*sample - *last_ns) <= params_.warm_agreement * *last_ns;
    if (is_warm || spent_ns >= params_.max_warm_ns) return {};
    last_ns = *sample;
  }
}

DeviceResult<Burst> HostSource::run(Handle /*stream*/) {
  if (watch_.should_stop()) return device_fail(kStopped, "stopped while it was measured");
  Burst burst;
  bool is_preempted = false;
  auto const epoch = host_.epoch();
  std::int64_t const begin_ns = host_.now_ns();
  if (call_ns_ < params_.long_call_ns) {
    auto const sample = sample_ns();
    if (!sample) return tl::unexpected<DeviceError>(sample.error());
  }
  for (std::size_t i = 0; i < shape_.samples; ++i) {
    auto const sample = kept_sample_ns(&is_preempted);
    if (!sample) return tl::unexpected<DeviceError>(sample.error());
    burst.intervals_ns.push_back(*sample);
  }
  burst.start_ns = static_cast<double>(begin_ns);
  burst.wall_ns = static_cast<double>(host_.now_ns() - begin_ns);
  burst.evidence.is_epoch_changed = host_.epoch() != epoch;
  burst.evidence.is_preempted = is_evidence(is_preempted, burst.wall_ns);
  return burst;
}

// measure() ends a visit of which more than half is rejected.
bool HostSource::is_evidence(bool is_preempted, double wall_ns) {
  // The first burst of a visit is not kept.
  std::size_t const kept = bursts_++;
  if (!is_preempted || is_preempted_often_) return false;
  std::size_t const allowed = std::max(params_.spared_bursts, kept / 2);
  is_preempted_often_ = rejected_ + 1 > allowed || rejected_ns_ + wall_ns > params_.max_rejected_ns;
  if (is_preempted_often_) return false;
  ++rejected_;
  rejected_ns_ += wall_ns;
  return true;
}

}  // namespace zl::timing
