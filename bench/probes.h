#pragma once

#include "bursts.h"

namespace zl::bench {

// What the first probes find and the later ones use.
struct Figures {
  double ghz = 1.98;           // of the multiprocessors, under this load
  double cycles_per_step = 0;  // of spin_iter
  double graph_cold_null_ns = 0;
  double graph_warm_null_ns = 0;
  double direct_cold_null_ns = 0;
  double direct_warm_null_ns = 0;

  std::uint64_t steps_for(double ns) const {
    double const steps = cycles_per_step > 0 ? ns * ghz / cycles_per_step : 1;
    return steps < 1 ? 1 : static_cast<std::uint64_t>(steps);
  }
};

using Probe = DeviceResult<void> (*)(Lab const& lab, Figures* figures);

DeviceResult<void> probe_settling(Lab const& lab, Figures* figures);  // P9
DeviceResult<void> probe_tick(Lab const& lab, Figures* figures);      // P1
DeviceResult<void> probe_steps(Lab const& lab, Figures* figures);     // what a step of a spin costs
DeviceResult<void> probe_nulls(Lab const& lab, Figures* figures);     // P2
DeviceResult<void> probe_graphs(Lab const& lab, Figures* figures);    // P11, graphs
DeviceResult<void> probe_direct(Lab const& lab, Figures* figures);    // P11, direct
DeviceResult<void> probe_parts(Lab const& lab, Figures* figures);     // P11: before, in, after
DeviceResult<void> probe_places(Lab const& lab, Figures* figures);    // P11: by multiprocessor
DeviceResult<void> probe_pooling(Lab const& lab, Figures* figures);   // P11: new graph each burst
DeviceResult<void> probe_linearity(Lab const& lab, Figures* figures);  // P3
DeviceResult<void> probe_holding(Lab const& lab, Figures* figures);    // P6
DeviceResult<void> probe_flush(Lab const& lab, Figures* figures);      // P4

}  // namespace zl::bench
