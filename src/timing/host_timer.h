#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "timing/stopping.h"
#include "timing/timed_call.h"

namespace zl::timing {

// Says how HostTimer takes a number; numbers of different calibers are never set in a ratio.
inline constexpr char kHostCaliber[] = "host/steady_clock/stat=median/ci95<=1%/warm";

struct HostTimerParams {
  // One sample lasts at least this: reading the clock costs some 25 ns at each end, so 0.05 % here.
  double min_sample_ns = 100e3;
  // ... and at least this many ticks of the clock, so that the tick is below the 1 % by far.
  double min_sample_ticks = 200;
  // Warm: two samples in a row agree within this. Caches and the branch predictor are then filled;
  // what is left is noise, which the median takes.
  double warm_agreement = 0.05;
  double max_warm_ns = 200e6;
  // A visit to one side: long against the switch between the sides, short against a drift.
  double visit_ns = 5e6;
  std::size_t min_visit_samples = 4;
  std::size_t max_visit_samples = 32;
  // A sample in which the kernel took the CPU away is taken again, this often at most: on a machine
  // that is always busy every long sample is such a one, and a flagged number is better than none.
  int max_retakes = 1;
  StoppingParams stopping;
};

struct HostTiming {
  double median_ns = 0;  // per call
  std::optional<Interval> interval_ns;
  std::size_t samples = 0;
  std::size_t calls_per_sample = 0;
  std::size_t preempted_samples = 0;  // of `samples`: the CPU was taken away within them
  StopReason why = StopReason::none;
};

enum class TimingEnd { finished, call_failed, stopped };

struct InterleavedTiming {
  TimingEnd end = TimingEnd::finished;
  std::size_t failed_side = 0;      // of call_failed
  std::vector<HostTiming> timings;  // one a side, when finished
};

// Times several calls against each other on the host's clock. Sides take turns in short visits
// until each knows its median, so that a drift of the machine meets all of them; the first sample
// of a visit is thrown away, since the side before it has filled the caches with its own data.
class HostTimer {
 public:
  using Clock = std::function<std::int64_t()>;  // ns, never goes back

  // How often the kernel has taken the CPU from this thread so far. It is the only reason for which
  // a sample is thrown away: never its value.
  using Preemptions = std::function<long()>;

  HostTimer(HostTimerParams params, Clock clock, Preemptions preemptions);
  // `should_stop` is asked between visits.
  InterleavedTiming measure(std::vector<TimedCall> const& calls,
                            std::function<bool()> const& should_stop);
  double tick_ns() const { return tick_ns_; }

 private:
  struct Side;
  std::optional<double> sample_ns(TimedCall const& call, std::size_t count);
  std::optional<double> kept_sample_ns(Side& side);
  bool warm_up(Side& side);
  bool visit(Side& side);

  HostTimerParams params_;
  Clock clock_;
  Preemptions preemptions_;
  double tick_ns_ = 0;
};

HostTimer::Clock steady_clock_ns();
HostTimer::Preemptions thread_preemptions();

}  // namespace zl::timing
