#include "base/guarded.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/subprocess.h"

namespace zl {

namespace {

// Of an answer that foreign code made.
constexpr std::size_t kMaxBytes = 64u << 20;

[[noreturn]] void become_child(std::string (*work)(void const*), void const* argument, int to) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string const text = work(argument);
  Result<void> const written = write_all(to, text, "pipe");
  ::_exit(written ? 0 : 1);
}

}  // namespace

Result<GuardedCall> GuardedCall::start(std::string (*work)(void const*), void const* argument) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  Fd read_end(pipe_fds[0]);
  Fd const write_end(pipe_fds[1]);
  pid_t const pid = ::fork();
  if (pid < 0) {
    return fail(ErrorKind::environment, fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (pid == 0) become_child(work, argument, write_end.get());
  ::setpgid(pid, pid);
  ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  return GuardedCall(pid, std::move(read_end));
}

GuardedCall::GuardedCall(pid_t pid, Fd from_child)
    : pid_(pid), from_child_(std::move(from_child)), begin_(std::chrono::steady_clock::now()) {}

GuardedCall::GuardedCall(GuardedCall&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      from_child_(std::move(other.from_child_)),
      text_(std::move(other.text_)),
      begin_(other.begin_) {}

GuardedCall::~GuardedCall() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  // A call that is stuck in the kernel ignores even that for now.
  constexpr int kTries = 20;
  for (int i = 0; i < kTries && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++i) ::usleep(1000);
}

double GuardedCall::running_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

std::optional<Result<std::string>> GuardedCall::take() {
  char buffer[65536];
  ssize_t count = 0;
  while ((count = ::read(fd(), buffer, sizeof(buffer))) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return std::nullopt;
    if (count < 0) break;
    if (text_.size() < kMaxBytes) text_.append(buffer, static_cast<std::size_t>(count));
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  ExitStatus const ended = to_exit_status(status);
  if (ended.code == 0) return std::move(text_);
  return fail(ErrorKind::environment, "ended with " + ended.describe());
}

}  // namespace zl
