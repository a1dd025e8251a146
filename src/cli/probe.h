#pragma once

#include "check/rules.h"
#include "cli/context.h"

namespace zl::cli {

// explain --probe OP: runs the operator, then cheap variations of it, each in its own process,
// until one changes the failure; says which and what that means.
Result<int> probe_operator(Context const& context, check::RuleBook const& book);

}  // namespace zl::cli
