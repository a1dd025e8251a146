#pragma once

#include "cli/context.h"

namespace zl::cli {

// One function a subcommand: prints its data on stdout, notes on stderr, and answers the exit code.
Result<int> run_backends(Context const& context);
Result<int> run_devices(Context const& context);
Result<int> run_ops(Context const& context);
Result<int> run_plan(Context const& context);
Result<int> run_run(Context const& context);  // run.cc, as run_batch
Result<int> run_batch(Context const& context);
Result<int> run_calibrate(Context const& context);
Result<int> run_show(Context const& context);
Result<int> run_lint(Context const& context);
Result<int> run_explain(Context const& context);

// "note: ..." lines on stderr.
void print_notes(std::vector<std::string> const& notes);
// All of `text` on stdout; a closed pipe is no error.
void print_out(std::string const& text);

}  // namespace zl::cli
