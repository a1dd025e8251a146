#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/environment.h"
#include "base/fd.h"
#include "base/result.h"

namespace zl {

// How a child ended: exactly one of the two is set.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;
  std::string describe() const;  // "exit status 1", "signal 11 (Segmentation fault)"
};
ExitStatus to_exit_status(int status);  // as waitpid gives it

struct SpawnRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH of `environment`
  Environment environment;        // the child's whole environment
  std::filesystem::path working_directory;
  int output_fd = -1;   // becomes the child's stdout and stderr; -1: /dev/null
  int channel_fd = -1;  // becomes fd 3 of the child; -1: none
  int board_fd = -1;    // becomes fd 4 of the child, beside a channel; -1: none
};

// The file descriptor numbers under which a child finds `channel_fd` and `board_fd`.
inline constexpr int kChildChannelFd = 3;
inline constexpr int kChildBoardFd = 4;

// One child in a process group of its own, standard input closed (/dev/null), default signals,
// killed by the kernel if this process dies. Passive: the owner polls.
class Process {
 public:
  // Errors carry the system's reason when the program cannot be started.
  static Result<Process> spawn(SpawnRequest const& request);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(Process const&) = delete;
  Process& operator=(Process const&) = delete;
  ~Process();  // kills the group and reaps what is left

  pid_t pid() const { return pid_; }
  void signal_group(int signal) const;
  void signal_alone(int signal) const;  // the child, not what it started
  // Empty while it runs. After the end: kills whatever the child left in its group, once.
  std::optional<ExitStatus> try_wait();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  void end_now();
  pid_t pid_ = -1;
  std::optional<ExitStatus> status_;
};

struct CommandOutput {
  ExitStatus status;
  bool timed_out = false;
  std::string out;  // stdout and stderr together, cut at max_bytes
};

// Runs a helper to its end, at most `limit_s` seconds (then its group is killed).
Result<CommandOutput> run_command(SpawnRequest request, double limit_s,
                                  std::size_t max_bytes = 64u << 20);

}  // namespace zl
