#include "native/stacks.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <execinfo.h>
#include <unistd.h>

namespace zl::native {

namespace {

constexpr int kSignal = SIGUSR1;
constexpr int kMostFrames = 64;

void write_stack(int) {
  int const saved_errno = errno;
  std::array<void*, kMostFrames> frames{};
  int const count = ::backtrace(frames.data(), kMostFrames);
  constexpr char kTitle[] = "stack of the thread that was interrupted, latest call first:\n";
  ssize_t const ignored = ::write(STDERR_FILENO, kTitle, sizeof(kTitle) - 1);
  static_cast<void>(ignored);
  ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  errno = saved_errno;
}

}  // namespace

int register_stack_signal() {
  // The first call loads a library, which a signal handler may not.
  void* frame = nullptr;
  static_cast<void>(::backtrace(&frame, 1));
  struct sigaction action {};
  action.sa_handler = write_stack;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(kSignal, &action, nullptr);
  return kSignal;
}

}  // namespace zl::native
