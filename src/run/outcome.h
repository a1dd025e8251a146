#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "results/state.h"
#include "run/conversation.h"
#include "run/plan.h"

namespace zl::run {

// Who ended the child.
enum class EndedBy { itself, time_limit, silence, log_limit, broken_protocol, lost_device, user };

// The facts of one child's end that are not in its words.
struct ChildEnd {
  EndedBy by = EndedBy::itself;
  ExitStatus status;
  double duration_s = 0;
  std::string last_log_line;  // "" when the log is empty
  std::map<std::string, double> phase_times_s = {};
};

// What the child's words and its end mean together. Pure. A run without numbers is never passed,
// and numbers of a child that was never heard to say hello are not believed.
results::OpResult conclude(Plan const& plan, results::OpState const& state,
                           Conversation const& conversation, ChildEnd const& end);

}  // namespace zl::run
