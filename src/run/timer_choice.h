#pragma once

#include <string>

#include "run/plan.h"

namespace zl::run {

struct TimerChoice {
  std::string name;        // graph, direct, upstream, host
  std::string reason;      // what chose it
  bool is_engine = false;  // the plug-ins measure through the timing engine
};

// The timer that was asked for, or the best one that the backend's capabilities allow. An error of
// kind usage when it was asked for and cannot be had.
Result<TimerChoice> choose_timer(PlanRequest const& request);

// What "auto" means for a corpus on this backend.
TimerChoice best_timer(backend::Descriptor const& backend);

}  // namespace zl::run
