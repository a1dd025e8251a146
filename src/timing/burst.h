#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace zl::timing {

// Why a burst does not count. Only what was seen beside the samples is a reason, never a sample.
enum class Rejection { none, early_release, host_bound, epoch, preempted, slowdown, clock };
std::string_view to_text(Rejection rejection);

// What was seen beside the samples of a burst.
struct BurstEvidence {
  double clock_mhz = 0;  // of the device within the burst; 0: not known
  bool is_released_early = false;
  bool is_host_bound = false;     // the device had to wait for the host within the burst
  bool is_epoch_changed = false;  // somebody else was at work (HostEnvironment::epoch)
  bool is_preempted = false;      // the kernel took the CPU from a call that works on it
  bool is_slowed_down = false;    // backend::DeviceState at its end, as the next one
  bool is_power_capped = false;
};

// What is sampled at one go: samples of one burst share their state of the device.
struct Burst {
  std::vector<double> intervals_ns;  // begin to end of each sample, with the timer's own share
  std::vector<double> host_ns;       // what submitting each sample cost the host; may be empty
  double start_ns = 0;               // on the host's clock
  double wall_ns = 0;
  double device_ns = 0;
  BurstEvidence evidence;
  Rejection rejection = Rejection::none;
};

// `visit_clock_mhz` is the median of the visit's bursts; 0: not known. 1 % off is too far.
Rejection judge(BurstEvidence const& evidence, double visit_clock_mhz);

}  // namespace zl::timing
