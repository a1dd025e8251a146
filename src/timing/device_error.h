#pragma once

#include <string>
#include <tl/expected.hpp>

#include "backend/runtime.h"

namespace zl::timing {

// A call of the device's runtime, or of what is measured, that failed.
struct DeviceError {
  std::string text;  // what failed, with the runtime's own words, in one line
  // A word for programs: "runtime", "call_failed", "empty_graph", "no_graphs", "capturing",
  // "capture_invalidated", "unstable", "record".
  char const* reason = "runtime";
  int status = 0;  // of the runtime; 0: the runtime is not the one who complains
  backend::StatusClass status_class = backend::StatusClass::recoverable;
};

template <class T>
using DeviceResult = tl::expected<T, DeviceError>;

inline tl::unexpected<DeviceError> device_fail(
    char const* reason, std::string text,
    backend::StatusClass status_class = backend::StatusClass::recoverable) {
  return tl::unexpected<DeviceError>(DeviceError{std::move(text), reason, 0, status_class});
}

inline DeviceResult<void> checked(backend::DeviceRuntime const& runtime, int status,
                                  char const* what) {
  if (status == 0) return {};
  return tl::unexpected<DeviceError>(
      DeviceError{runtime.describe(what, status), "runtime", status, runtime.classify(status)});
}

// Leaves the function with the error of a DeviceResult, if it has one.
#define ZL_TRY_DEVICE(expression)                                                    \
  do {                                                                               \
    if (auto outcome_ = (expression); !outcome_)                                     \
      return tl::unexpected<::zl::timing::DeviceError>(std::move(outcome_.error())); \
  } while (false)

}  // namespace zl::timing
