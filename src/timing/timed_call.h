#pragma once

#include "timing/device_error.h"

namespace zl::timing {

// A call that returns 0, or anything else when it failed. A plain pointer: whatever stood between
// the timer and the call would be measured with it.
struct TimedCall {
  int (*call)(void* state);
  void* state;
};

inline constexpr char kMeasuredCallFailed[] = "the call that is measured failed";

// A call that is not there does not fail; `failure` is what the error says.
inline DeviceResult<void> run_call(TimedCall const& call, char const* failure) {
  if (call.call == nullptr || call.call(call.state) == 0) return {};
  return device_fail("call_failed", failure);
}

}  // namespace zl::timing
