#pragma once

#include <cstdint>

#include "timing/session.h"

namespace zl::timing {

// A kernel of a length that is known without any timer: a chain of dependent steps on one thread,
// which counts its own cycles. Cycles over the clock is what a timer ought to show.
class SpinChain {
 public:
  explicit SpinChain(Session const& session) : session_(session) {}
  ~SpinChain();
  SpinChain(SpinChain const&) = delete;
  SpinChain& operator=(SpinChain const&) = delete;

  // Whether this session's device has the kernel, and a way to read what it counted.
  static bool is_possible(Session const& session);
  // Measures what a step takes; before anything below.
  DeviceResult<void> prepare(Handle stream);
  std::uint64_t steps_for(double length_ns, double clock_mhz) const;

  DeviceResult<void> launch(Handle stream, std::uint64_t steps) const;
  DeviceResult<void> add(Handle graph, std::uint64_t steps) const;
  // Of the chain that ran last; waits for the stream.
  DeviceResult<double> cycles(Handle stream) const;

 private:
  Session const& session_;
  Handle kernel_ = nullptr;
  DeviceAddress slot_ = 0;
  double cycles_per_step_ = 0;
};

// The clock of the multiprocessors over some 6 ms in which each has a spin of one warp.
DeviceResult<double> measure_clock_mhz(Session const& session, Handle stream);

}  // namespace zl::timing
