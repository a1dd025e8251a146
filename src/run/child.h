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

  // Starts the child in a folder that was made for its plan. `state` folds what `tell` was told,
  // under plan.op; `plan.backend` and `state` must outlive the child. `board_fd`: the counters of
  // who is at work on the device (docs/child-protocol.md); -1: none.
  static Result<std::unique_ptr<Child>> start(Plan plan, RunFolder folder,
                                              Environment const& caller, int attempt,
                                              results::BatchState& state, Tell tell, int board_fd);

  int channel_fd() const { return channel_.get(); }  // -1 once the child closed it
  Plan const& plan() const { return plan_; }
  Conversation const& conversation() const { return conversation_; }

  // What it asks for on its device since the last call; `none`: it has given back what it had.
  std::optional<Access> take_wish() { return std::exchange(wish_, std::nullopt); }
  // Its wish is granted.
  void grant(Access access);
  bool is_waiting() const { return waiting_since_.has_value(); }
  // Of its life, without what it waited for its device.
  double running_s(Clock::time_point now) const;

  // Reads what the child said. An error is the batch's: its log cannot be written.
  Result<void> on_readable();
  // Limits and the end. Answers the result once, when the child is gone.
  Result<std::optional<results::OpResult>> tick(Clock::time_point now);
  // Asks it to stop, then TERM and after the grace KILL. `why` counts only the first time.
  void stop(EndedBy why, Clock::time_point now);
  // Ends one that has neither spoken nor printed for plan.options.silence_s.
  void stop_if_silent(Clock::time_point now);
  // No grace any more.
  void kill_now() { process_.signal_group(SIGKILL); }
  // Lies still until thaw(); the time in between is not of its life.
  void freeze() { process_.signal_group(SIGSTOP); }
  void thaw(Clock::duration away);
  // Of one that has ended: by a KILL that was not ours.
  bool was_killed_by_system() const { return was_killed_by_system_; }

 private:
  Child(Plan plan, RunFolder folder, Fd channel, Process process, results::BatchState& state,
        Tell tell);
  Result<void> hear(std::string_view bytes);
  Result<void> book(std::vector<results::Event> const& events);
  Result<std::optional<results::OpResult>> finish(ExitStatus const& status, Clock::time_point now);
  void say(std::string const& line);
  void book_phase_time(std::string const& phase, Clock::time_point now);
  void end_wait(Clock::time_point now);
  void ask_for_stacks();
  void end_in_good_order(Clock::time_point now);

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
  Clock::time_point heard_;  // its latest word, or growth of its log
  std::uint64_t heard_log_bytes_ = 0;
  std::optional<EndedBy> ended_by_;
  std::optional<Clock::time_point> term_at_;  // its stacks are being written until then
  std::optional<Clock::time_point> kill_at_;
  bool was_killed_by_system_ = false;
  std::optional<Access> wish_;
  std::optional<Clock::time_point> waiting_since_;
  Clock::duration waited_{};
};

}  // namespace zl::run
