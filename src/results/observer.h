#pragma once

#include <string>
#include <vector>

#include "results/event.h"

namespace zl::results {

// What one device does right now; not logged.
struct Activity {
  std::string device;
  std::string op;
  std::string phase;
  double running_s = 0;
};

// Who watches a batch: the live progress, a test. Called from the scheduler's loop; must return
// soon.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(Event const& event) = 0;
  virtual void on_activity(std::vector<Activity> const& activities) = 0;
};

}  // namespace zl::results
