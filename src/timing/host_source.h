#pragma once

#include <cstddef>
#include <functional>

#include "timing/burst_source.h"
#include "timing/direct_source.h"

namespace zl::timing {

// The reason of the error of a measurement that was told to stop.
inline constexpr char kStopped[] = "stopped";

struct HostParams {
  // One sample lasts at least this: reading the clock costs some 25 ns at each end, and what of it
  // is not in the null is then below 0.05 %.
  double min_sample_ns = 100e3;
  // ... and at least this many ticks of the clock, so that the tick is below the 1 % by far.
  double min_sample_ticks = 200;
  // Long against the switch between the sides, short against a drift of the machine.
  double burst_ns = 3e6;
  // Warm: two samples in a row agree within this. Caches and the branch predictor are then filled;
  // what is left is noise, which the median takes.
  double warm_agreement = 0.05;
  double max_warm_ns = 200e6;
  // A longer call is no warmer for having been called just before.
  double long_call_ns = 200e6;
  // So many bursts of a visit, or half of them where that is more, may be rejected for having lost
  // the CPU; in time at most this.
  std::size_t spared_bursts = 4;
  double max_rejected_ns = 200e6;
};

// What a HostSource asks beside the clock; tests give their own.
struct HostWatch {
  // How often the kernel has taken the CPU from this thread so far.
  std::function<long()> preemptions;
  // Asked before each burst and each sample of the warm-up: true ends with the reason kStopped.
  std::function<bool()> should_stop;
};
HostWatch real_watch();  // never stops

// Reading the clock and calling nothing, in the interval of every sample.
struct HostNull {
  double reading_ns = 0;
  double call_ns = 0;
  double of(std::size_t calls) const { return reading_ns + call_ns * static_cast<double>(calls); }
};
HostNull measure_host_null(HostEnvironment const& host);

// The step of the clock: the least difference between how long readings of it take.
double measure_host_tick(HostEnvironment const& host);

// Calls that have done their work when they return, by the host's clock, warm. The first sample of
// a burst is not recorded: what was measured before has filled the caches with its own data. A
// sample within which the kernel took the CPU away is taken again, once; a burst that holds one
// still is evidence of a disturbance. On a machine that is always busy that would be all of them:
// beyond the bounds of HostParams they count, and is_preempted_often() says so.
class HostSource : public BurstSource {
 public:
  // `host` and `watch` live longer than this; `calls.call` must be there.
  HostSource(HostEnvironment const& host, HostWatch const& watch, DirectCalls calls,
             HostParams params);
  // Finds how many calls make a sample and calls until they are warm.
  DeviceResult<void> settle(double tick_ns);
  DeviceResult<void> begin_visit() override;
  void end_visit() override;
  DeviceResult<Burst> run(Handle stream) override;
  bool is_exclusive() const override { return calls_.enter.call != nullptr; }
  BurstShape const& shape() const { return shape_; }
  bool is_preempted_often() const { return is_preempted_often_; }
  bool has_failed() const { return has_failed_; }  // it, not another source, ended a measurement

 private:
  DeviceResult<void> run_call(TimedCall const& call, char const* failure);
  DeviceResult<double> sample_ns();
  DeviceResult<double> kept_sample_ns(bool* is_preempted);
  DeviceResult<void> warm_up(double least_ns);
  bool is_evidence(bool is_preempted, double wall_ns);

  HostEnvironment const& host_;
  HostWatch const& watch_;
  DirectCalls calls_;
  HostParams params_;
  BurstShape shape_;
  double call_ns_ = 0;      // with the timer's own share
  std::size_t bursts_ = 0;  // of this visit
  std::size_t rejected_ = 0;
  double rejected_ns_ = 0;
  bool is_preempted_often_ = false;
  bool has_failed_ = false;
};

}  // namespace zl::timing
