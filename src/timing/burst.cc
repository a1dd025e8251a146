#include "timing/burst.h"

#include <cmath>

namespace zl::timing {

namespace {
constexpr double kClockTolerance = 0.01;
}

std::string_view to_text(Rejection rejection) {
  switch (rejection) {
    case Rejection::early_release:
      return "early_release";
    case Rejection::clock:
      return "clock";
    case Rejection::epoch:
      return "epoch";
    case Rejection::slowdown:
      return "slowdown";
    case Rejection::host_bound:
      return "host_bound";
    case Rejection::preempted:
      return "preempted";
    case Rejection::none:
      break;
  }
  return "none";
}

Rejection judge(BurstEvidence const& evidence, double visit_clock_mhz) {
  if (evidence.is_released_early) return Rejection::early_release;
  if (evidence.is_host_bound) return Rejection::host_bound;
  if (evidence.is_epoch_changed) return Rejection::epoch;
  if (evidence.is_preempted) return Rejection::preempted;
  if (evidence.is_slowed_down) return Rejection::slowdown;
  if (evidence.clock_mhz <= 0 || visit_clock_mhz <= 0) return Rejection::none;
  bool const is_off =
      std::abs(evidence.clock_mhz - visit_clock_mhz) > kClockTolerance * visit_clock_mhz;
  return is_off ? Rejection::clock : Rejection::none;
}

}  // namespace zl::timing
