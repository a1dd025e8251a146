#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "run/plan.h"

namespace zl::batch {

// Whether a device still works, asked in a process of its own: a few values are made on it and
// read back, through what the corpus uses. A device that is the processor itself is not asked.
class HealthCheck {
 public:
  struct Verdict {
    bool is_healthy = true;
    std::string text;  // why not
  };
  // Of the plan: the device, the backend and the Python.
  static HealthCheck start(run::PlanRequest const& plan);
  // Does not wait; once, when it has ended. A check that does not end within a minute has failed.
  std::optional<Verdict> poll();

 private:
  HealthCheck() = default;
  std::optional<Process> process_;
  Fd output_;
  std::optional<Verdict> verdict_;
  std::chrono::steady_clock::time_point ends_at_;
};

}  // namespace zl::batch
