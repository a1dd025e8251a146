// What the timers of a device are worth: their own error against lengths that are known, and how
// well they repeat themselves. `zlbench calibrate` prints it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "timing/engine.h"

namespace zl::timing {

// One length, through one timer, some repeats.
struct Rung {
  std::string name;                // "spin 5 us", "flush 120 MiB"
  std::optional<double> truth_ns;  // of the chain; empty where the length is not known
  double net_ns = 0;               // median of the repeats
  double repeatability = 0;        // standard deviation of the repeats, as a share of their mean
  double residual_ns = 0;          // from the line; 0 where the length is not known
};

struct TimerFigures {
  std::string timer;     // graph, direct, host
  std::string caliber;   // of its numbers
  std::string fallback;  // why they were not taken in the timer's best way; empty: they were
  std::optional<NullInterval> null;
  // net = offset + slope * truth, by least squares of the relative error. Empty without lengths.
  std::optional<double> slope;
  std::optional<double> offset_ns;
  std::vector<Rung> rungs;
};

struct DeviceFigures {
  double tick_ns = 0;
  // Over the whole calibration; 0: not known.
  double clock_mhz = 0;
  double clock_change = 0;  // (max - min) / median
  std::string no_spins;     // why there are no known lengths; empty: there are
  std::string no_graph;     // why there is no timer `graph`; empty: there is
  std::vector<TimerFigures> timers;
};

struct CalibrateParams {
  int repeats = 5;
  std::vector<double> lengths_us = {2, 5, 10, 50, 100, 500, 2'000, 10'000};
};

// `tell` hears after each repeat how many are done.
DeviceResult<DeviceFigures> calibrate_device(Engine& engine, Handle stream,
                                             CalibrateParams const& params,
                                             std::function<void(int)> const& tell);

// The host timer has no known lengths: its tick, what it shows of nothing, how that repeats.
DeviceFigures calibrate_host(CalibrateParams const& params);

}  // namespace zl::timing
