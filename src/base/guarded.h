#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace zl {

// Work in a forked child of this program, so that a call that may hang or crash (a vendor's
// library) costs a child and not this process. Passive: the owner polls, and may have several.
class GuardedCall {
 public:
  static Result<GuardedCall> start(std::string (*work)(void const* argument), void const* argument);

  GuardedCall(GuardedCall&& other) noexcept;
  GuardedCall& operator=(GuardedCall&&) = delete;
  GuardedCall(GuardedCall const&) = delete;
  GuardedCall& operator=(GuardedCall const&) = delete;
  ~GuardedCall();  // kills the child; does not wait for one that is stuck in the kernel

  int fd() const { return from_child_.get(); }  // poll() it for reading
  double running_s() const;
  // Reads what is there and does not wait. Empty: still at work. Else, once, what `work` returned,
  // or how the child ended without returning.
  std::optional<Result<std::string>> take();

 private:
  GuardedCall(pid_t pid, Fd from_child);

  pid_t pid_;  // -1: reaped
  Fd from_child_;
  std::string text_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace zl
