#pragma once

namespace zl::native {

// From now on the signal that is returned makes this process write its stack to standard error and
// go on: for one that hangs (docs/child-protocol.md).
int register_stack_signal();

}  // namespace zl::native
