#include "base/signals.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include "base/result.h"

namespace zl {

namespace {

int volatile g_write_fd = -1;

// Async-signal-safe: one write, errno kept.
void on_signal(int signal) {
  int const saved_errno = errno;
  auto const byte = static_cast<unsigned char>(signal);
  ssize_t const ignored = ::write(g_write_fd, &byte, 1);
  static_cast<void>(ignored);
  errno = saved_errno;
}

}  // namespace

SignalWatch::SignalWatch(std::vector<int> const& signals) : signals_(signals) {
  int ends[2];
  ZL_CHECK(g_write_fd < 0, "one SignalWatch at a time");
  ZL_CHECK(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "a pipe for signals");
  read_end_ = Fd(ends[0]);
  write_end_ = Fd(ends[1]);
  g_write_fd = write_end_.get();
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int const signal : signals_) ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  for (int const signal : signals_) ::signal(signal, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  g_write_fd = -1;
}

std::vector<int> SignalWatch::take() {
  std::vector<int> taken;
  unsigned char buffer[256];
  while (true) {
    ssize_t const count = ::read(read_end_.get(), buffer, sizeof(buffer));
    if (count <= 0) return taken;
    for (ssize_t i = 0; i < count; ++i) taken.push_back(buffer[i]);
  }
}

}  // namespace zl
