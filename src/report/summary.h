#pragma once

#include <string>

#include "results/state.h"

namespace zl::report {

// What a batch leaves for its user, in some lines: how many ended how, which took longest, what
// failed with its first cause, and what to do next. `folder` as the commands are to name it.
std::string summary_text(results::BatchState const& batch, std::string const& folder);

}  // namespace zl::report
