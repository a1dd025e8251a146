// native/: the child process of the native provider: loads plug-in libraries (include/zlbench/
// operator.h), checks and times their operators, and speaks docs/child-protocol.md. Never decides
// what to run, and never reads a run folder but for its plan file.
#pragma once

#include <string>
#include <vector>

namespace zl::native {

// The hidden subcommand `native-runner`; `args` are the words after it. Two modes:
//   --list LIBRARY...   one line of JSON on stdout: what each library holds, or why it is refused
//   LIBRARY OPERATOR    runs one operator; ZL_CHANNEL_FD and ZL_PLAN as docs/child-protocol.md says
// Returns the exit code: 0 all cases ended well (or were skipped by the library itself), 1 a case
// failed or the parent stopped the run, 2 the words are wrong, 4 the library or plan cannot be
// used.
int run_native_child(std::vector<std::string> const& args);

}  // namespace zl::native
