#pragma once

#include "base/result.h"

namespace zl::cli {

// Documented in README.md and in every --help: an interface.
inline constexpr int kOk = 0;
inline constexpr int kOperatorsFailed = 1;
inline constexpr int kFindings = 1;  // lint: at or above --fail-on
inline constexpr int kUsage = 2;
inline constexpr int kNothingSelected = 3;
inline constexpr int kEnvironment = 4;
inline constexpr int kInterrupted = 130;

inline int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return kUsage;
    case ErrorKind::nothing_selected:
      return kNothingSelected;
    case ErrorKind::environment:
      break;
  }
  return kEnvironment;
}

}  // namespace zl::cli
