#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/state.h"
#include "run/plan.h"

namespace zl::run {

// The parent's half of run_identity.json (docs/run-identity.md): host, plan, device, and the
// calibers of the numbers in `state`. What is not known is null, and its reason is in `unknown`.
// Starts no process and asks no device; `identity_cost_ms` says what it took.
nlohmann::json parent_identity(Plan const& plan, results::OpState const& state);

}  // namespace zl::run
