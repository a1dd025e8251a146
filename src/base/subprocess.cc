#include "base/subprocess.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

namespace zl {

namespace {

std::vector<char*> to_pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Where execve will look: found here, in the parent, so that the child only makes system calls.
Result<std::string> find_program(SpawnRequest const& request) {
  std::string const& name = request.argv.front();
  if (name.find('/') != std::string::npos) return name;
  std::string const path =
      lookup(request.environment, "PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::string const& folder : split(path, ':')) {
    fs::path const candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code code;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, code)) {
      return candidate.string();
    }
  }
  return fail(ErrorKind::environment, fmt::format("cannot start '{}': not found in PATH", name));
}

// The descriptors of the child, moved clear of 0..3 first so that no dup2 clobbers another.
struct ChildFds {
  int output;
  int channel;
  int board;
  int error_pipe;
};

void report_and_exit(int error_pipe) {
  int const reason = errno;
  ssize_t const ignored = ::write(error_pipe, &reason, sizeof(reason));
  static_cast<void>(ignored);
  ::_exit(127);
}

int moved_clear(int fd) {
  return fd < 0 ? fd : ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
}

// Between fork and exec: system calls only.
[[noreturn]] void become_child(SpawnRequest const& request, char const* program, char* const* argv,
                               char* const* environment, ChildFds fds, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD, SIGTSTP, SIGWINCH}) {
    ::signal(signal, SIG_DFL);
  }
  int const error_pipe = moved_clear(fds.error_pipe);
  int const output = moved_clear(fds.output);
  int const channel = moved_clear(fds.channel);
  int const board = moved_clear(fds.board);
  int const null_fd = moved_clear(::open("/dev/null", O_RDWR | O_CLOEXEC));
  int const out_fd = output < 0 ? null_fd : output;
  bool const is_ready = ::dup2(null_fd, 0) == 0 && ::dup2(out_fd, 1) == 1 &&
                        ::dup2(out_fd, 2) == 2 &&
                        (channel < 0 || ::dup2(channel, kChildChannelFd) == kChildChannelFd) &&
                        (board < 0 || ::dup2(board, kChildBoardFd) == kChildBoardFd);
  if (!is_ready) report_and_exit(error_pipe);
  // What our own caller left open is not the child's: it would keep pipes and locks alive.
  unsigned const first_foreign = channel < 0 ? kChildChannelFd
                                 : board < 0 ? kChildBoardFd
                                             : kChildBoardFd + 1;
  ::syscall(SYS_close_range, first_foreign, ~0u, CLOSE_RANGE_CLOEXEC);
  if (!request.working_directory.empty() && ::chdir(request.working_directory.c_str()) != 0) {
    report_and_exit(error_pipe);
  }
  ::execve(program, argv, environment);
  report_and_exit(error_pipe);
  ::_exit(127);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Reads `fd` until its end, the deadline or the byte limit; true when the end was reached.
bool read_until(int fd, double deadline_s, std::size_t max_bytes, std::string& text) {
  while (true) {
    double const left_s = deadline_s - now_s();
    if (left_s <= 0) return false;
    pollfd entry{fd, POLLIN, 0};
    int const ready = ::poll(&entry, 1, static_cast<int>(left_s * 1000) + 1);
    if (ready <= 0) continue;
    char buffer[65536];
    ssize_t const count = ::read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    if (text.size() < max_bytes) {
      text.append(buffer, std::min(static_cast<std::size_t>(count), max_bytes - text.size()));
    }
  }
}

}  // namespace

ExitStatus to_exit_status(int status) {
  ExitStatus result;
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}

std::string ExitStatus::describe() const {
  if (signal) return fmt::format("signal {} ({})", *signal, strsignal(*signal));
  return fmt::format("exit status {}", code.value_or(-1));
}

Result<Process> Process::spawn(SpawnRequest const& request) {
  ZL_CHECK(!request.argv.empty(), "a child needs a program");
  Result<std::string> const program = find_program(request);
  if (!program) return tl::unexpected<Error>(program.error());
  std::vector<std::string> words = request.argv;
  std::vector<std::string> lines = to_lines(request.environment);
  std::vector<char*> const argv = to_pointers(words);
  std::vector<char*> const environment = to_pointers(lines);
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  Fd const read_end(pipe_fds[0]);
  Fd write_end(pipe_fds[1]);
  pid_t const parent = ::getpid();
  pid_t const pid = ::fork();
  if (pid < 0) {
    return fail(ErrorKind::environment, fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    become_child(request, program->c_str(), argv.data(), environment.data(),
                 {request.output_fd, request.channel_fd, request.board_fd, write_end.get()},
                 parent);
  }
  ::setpgid(pid, pid);  // also here: the first signal may be sent before the child ran
  write_end.reset();
  int reason = 0;
  ssize_t count = 0;
  while ((count = ::read(read_end.get(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
  }
  if (count != sizeof(reason)) return Process(pid);
  ::waitpid(pid, nullptr, 0);
  return fail(
      ErrorKind::environment,
      fmt::format("cannot start '{}' in {}: {}", *program,
                  request.working_directory.empty() ? "." : request.working_directory.string(),
                  std::strerror(reason)));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(std::exchange(other.status_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    end_now();
    pid_ = std::exchange(other.pid_, -1);
    status_ = std::exchange(other.status_, std::nullopt);
  }
  return *this;
}

Process::~Process() {
  end_now();
}

void Process::signal_group(int signal) const {
  if (pid_ > 0) ::kill(-pid_, signal);
}

void Process::signal_alone(int signal) const {
  if (pid_ > 0 && !status_) ::kill(pid_, signal);
}

std::optional<ExitStatus> Process::try_wait() {
  if (status_ || pid_ <= 0) return status_;
  int status = 0;
  pid_t const ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended != pid_) return std::nullopt;
  status_ = to_exit_status(status);
  signal_group(SIGKILL);
  return status_;
}

void Process::end_now() {
  if (pid_ <= 0 || status_) return;
  signal_group(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Result<CommandOutput> run_command(SpawnRequest request, double limit_s, std::size_t max_bytes) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  Fd const read_end(pipe_fds[0]);
  Fd write_end(pipe_fds[1]);
  request.output_fd = write_end.get();
  Result<Process> process = Process::spawn(request);
  if (!process) return tl::unexpected<Error>(process.error());
  write_end.reset();
  CommandOutput output;
  double const deadline_s = now_s() + limit_s;
  output.timed_out = !read_until(read_end.get(), deadline_s, max_bytes, output.out);
  if (output.timed_out) process->signal_group(SIGKILL);
  while (true) {
    std::optional<ExitStatus> const status = process->try_wait();
    if (status) {
      output.status = *status;
      return output;
    }
    if (!output.timed_out && now_s() > deadline_s) {
      output.timed_out = true;
      process->signal_group(SIGKILL);
    }
    ::usleep(500);
  }
}

}  // namespace zl
