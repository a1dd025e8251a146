#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "native/channel.h"
#include "native/library.h"
#include "timing/host_engine.h"

namespace zl::native {

// How a case ended, in the words of docs/child-protocol.md (`case_end`).
struct CaseOutcome {
  std::string status = "ok";  // "ok", "failed", "skipped"
  std::string phase;          // of a failure
  std::string error;          // of a failure or skip
  nlohmann::json metrics = nlohmann::json::object();
};

// The engine, made when it is first asked for.
using EngineSource = std::function<timing::HostEngine&()>;

// Prepares, checks and times one case, and sends its measurements. Nothing is timed when a check
// fails, and nothing is sent when the outputs are no longer right after the timing. `engine` is
// asked under the lease.
CaseOutcome run_case(Operator const& op, Case const& item, EngineSource const& engine,
                     Channel& channel);

}  // namespace zl::native
