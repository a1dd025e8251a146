#pragma once

#include <string>

#include "report/table.h"
#include "results/state.h"

namespace zl::report {

// One line a shape, of every operator or of `op` alone. What only some timers tell (the interval of
// the speedup, counts, clock, flags, and with them the caliber) has a column where a case has it.
Table case_table(results::BatchState const& batch, std::string const& op = "");

}  // namespace zl::report
