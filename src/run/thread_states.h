#pragma once

#include <string>
#include <sys/types.h>

namespace zl::run {

// What the system says of every thread of a process: number, name, state, and the call of the
// kernel it waits in, where that may be read. For the log of a child that hangs.
std::string thread_states(pid_t pid);

}  // namespace zl::run
