#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "run/conversation.h"
#include "run/outcome.h"
#include "run/run_folder.h"

namespace zl::run {

using Clock = std::chrono::steady_clock;

// One running operator. Passive: the owner polls channel_fd() and calls; every call returns at
// once. What happens is told to `tell`, in order, and folded into `state`.
class Child {
 public:
  using Tell = std::function<Result<void>(results::Event const&)>;

  // Makes the run folder and starts the child. `state` folds what `tell` was told, under plan.op;
  // `plan.backend` and `state` must outlive the child.
  static Result<std::unique_ptr<Child>> start(Plan plan, Environment const& caller, int attempt,
                                              results::BatchState& state, Tell tell);

  int channel_fd() const { return channel_.get(); }  // -1 once the child closed it
  Plan const& plan() const { return plan_; }
  Conversation const& conversation() const { return conversation_; }

  // Reads what the child said. An error is the batch's: its log cannot be written.
  Result<void> on_readable();
  // Limits and the end. Answers the result once, when the child is gone.
  Result<std::optional<results::OpResult>> tick(Clock::time_point now);
  // Asks it to stop, then TERM and after the grace KILL. `why` counts only the first time.
  void stop(EndedBy why, Clock::time_point now);
  // No grace any more.
  void kill_now() { process_.signal_group(SIGKILL); }

 private:
  Child(Plan plan, RunFolder folder, Fd channel, Process process, results::BatchState& state,
        Tell tell);
  Result<void> hear(std::string_view bytes);
  Result<void> book(std::vector<results::Event> const& events);
  Result<std::optional<results::OpResult>> finish(ExitStatus const& status, Clock::time_point now);
  void say(std::string const& line);
  void book_phase_time(std::string const& phase, Clock::time_point now);

  Plan plan_;
  RunFolder folder_;
  Fd channel_;
  Process process_;
  results::BatchState& state_;
  Tell tell_;
  Conversation conversation_;
  Clock::time_point started_;
  Clock::time_point phase_since_;
  std::map<std::string, double> phase_times_s_;
  std::optional<EndedBy> ended_by_;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace zl::run
