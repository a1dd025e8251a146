#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timing/calibrate.h"

namespace zl::timing {

// A figure of a calibration and what it is to be. A target that is not met is a finding about this
// device and this engine, not a failure.
struct Target {
  std::string figure;
  double measured = 0;
  std::string unit;
  std::string where;           // of a worst case: the length it was at
  std::string target;          // in words; empty: there is none, the figure is only told
  std::optional<bool> is_met;  // empty without a target
};

std::vector<Target> hold_against_targets(DeviceFigures const& figures);

}  // namespace zl::timing
