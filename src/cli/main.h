// cli/: the command line: one option table, one file a subcommand, exit codes. Decides nothing that
// another folder could decide.
#pragma once

namespace zl::cli {

// The whole program. Never throws; answers the process's exit code (cli/exit_code.h).
int run_program(int argc, char** argv);

}  // namespace zl::cli
