#pragma once

namespace zl::timing {

// A call that returns 0, or anything else when it failed. A plain pointer: whatever stood between
// the timer and the call would be measured with it.
struct TimedCall {
  int (*call)(void* state);
  void* state;
};

}  // namespace zl::timing
