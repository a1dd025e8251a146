#pragma once

#include <string>
#include <vector>

#include "results/event.h"

namespace zl::results {

// What one child does right now, or why a device has none; not logged.
struct Activity {
  std::string device;
  std::string op;  // empty: the device has no child, and `phase` says why
  std::string phase;
  double running_s = 0;
  bool is_waiting = false;    // for its device
  bool is_measuring = false;  // holds the lease
};

// Who watches a batch: the live progress, a test. Called from the scheduler's loop; must return
// soon.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(Event const& event) = 0;
  virtual void on_activity(std::vector<Activity> const& activities) = 0;
  // The program is about to be stopped by the terminal; whatever is shown comes again after it.
  virtual void on_pause() {}
};

}  // namespace zl::results
