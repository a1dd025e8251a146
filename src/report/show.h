#pragma once

#include <string>

#include "report/table.h"
#include "results/state.h"

namespace zl::report {

// "10 shapes, 10 kernels, cvt 10"; without kernels known only the shapes.
std::string kernel_text(results::OpResult const& result);

// One line an operator.
Table operator_table(results::BatchState const& batch);
// Two batches side by side: status and kernels of each operator ("cvt 10 -> 2"). No speedups:
// numbers of two batches are set beside each other only by a comparison that knows when it may.
Table pair_table(results::BatchState const& before, results::BatchState const& after);

// Everything of a batch for programs: rows, cases, notes.
std::string to_json_text(results::BatchState const& batch, std::string const& folder);

// "6 operators: 5 passed, 1 failed"
std::string summary_line(results::BatchState const& batch);

}  // namespace zl::report
