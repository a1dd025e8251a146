#include "run/child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "run/thread_states.h"

namespace zl::run {

namespace {

std::string device_text(Plan const& plan) {
  return plan.device ? std::to_string(plan.device->index) : "";
}

// For writing stacks, on a busy machine.
constexpr std::chrono::seconds kStackTime{1};

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

}  // namespace

Child::Child(Plan plan, RunFolder folder, Fd channel, Process process, results::BatchState& state,
             Tell tell)
    : plan_(std::move(plan)),
      folder_(std::move(folder)),
      channel_(std::move(channel)),
      process_(std::move(process)),
      state_(state),
      tell_(std::move(tell)),
      conversation_(plan_.op),
      started_(Clock::now()),
      phase_since_(started_),
      heard_(started_) {}

Result<std::unique_ptr<Child>> Child::start(Plan plan, RunFolder folder, Environment const& caller,
                                            int attempt, results::BatchState& state, Tell tell,
                                            int board_fd) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make a socket: {}", std::strerror(errno)));
  }
  Fd ours(ends[0]);
  Fd const theirs(ends[1]);
  Result<Process> process =
      Process::spawn({plan.argv, with_changes(caller, plan.environment), plan.working_directory,
                      folder.log_fd(), theirs.get(), board_fd});
  if (!process) return tl::unexpected<Error>(process.error());
  results::RunBegun const begun{plan.op,
                                attempt,
                                join(plan.nodes, " "),
                                plan.provider,
                                plan.backend->name,
                                device_text(plan),
                                plan.timer,
                                plan.run_dir.filename().string(),
                                process->pid()};
  std::unique_ptr<Child> child(new Child(std::move(plan), std::move(folder), std::move(ours),
                                         std::move(*process), state, std::move(tell)));
  std::vector<results::Event> events{begun};
  for (std::string const& note : child->plan_.notes) {
    events.push_back(results::Noted{child->plan_.op, "info", "PLAN", note});
  }
  Result<void> const booked = child->book(events);
  if (!booked) return tl::unexpected<Error>(booked.error());
  return child;
}

Result<void> Child::book(std::vector<results::Event> const& events) {
  for (results::Event const& event : events) {
    Result<void> const told = tell_(event);
    if (!told) return told;
    results::OpState* const state = state_.find(plan_.op);
    ZL_CHECK(state != nullptr, "the owner folds every event before it returns");
    Result<void> const recorded = folder_.record(event, *state);
    if (!recorded) return recorded;
  }
  return {};
}

void Child::say(std::string const& line) {
  if (!channel_.is_open()) return;
  // A child that does not read must not block us; a lost word costs it its lease, not the batch.
  ssize_t const ignored =
      ::send(channel_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  static_cast<void>(ignored);
}

// As exact as the loop is quick: several phases that came at once share their time with the first.
void Child::book_phase_time(std::string const& phase, Clock::time_point now) {
  phase_times_s_[phase] += std::chrono::duration<double>(now - phase_since_).count();
  phase_since_ = now;
}

Result<void> Child::hear(std::string_view bytes) {
  std::string const phase = conversation_.phase();
  Conversation::Heard const heard = conversation_.feed(bytes);
  book_phase_time(phase, Clock::now());
  if (heard.wish) {
    end_wait(Clock::now());
    wish_ = heard.wish;
    if (*wish_ != Access::none) waiting_since_ = Clock::now();
  }
  return book(heard.events);
}

Result<void> Child::on_readable() {
  // Bounded, so that a child that floods cannot keep the loop from the others.
  for (int round = 0; round < 16 && channel_.is_open(); ++round) {
    char buffer[65536];
    ssize_t const count = ::recv(channel_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (count <= 0) {
      channel_.reset();
      return {};
    }
    heard_ = Clock::now();
    Result<void> const heard = hear({buffer, static_cast<std::size_t>(count)});
    if (!heard) return heard;
  }
  return {};
}

void Child::grant(Access access) {
  heard_ = Clock::now();  // until now it waited for us
  end_wait(Clock::now());
  say(granted_line(access));
}

void Child::end_wait(Clock::time_point now) {
  if (waiting_since_) waited_ += now - *waiting_since_;
  waiting_since_.reset();
}

double Child::running_s(Clock::time_point now) const {
  Clock::duration const waiting = waiting_since_ ? now - *waiting_since_ : Clock::duration{};
  return std::chrono::duration<double>(now - started_ - waited_ - waiting).count();
}

void Child::stop(EndedBy why, Clock::time_point now) {
  if (ended_by_) return;
  ended_by_ = why;
  term_at_ = now;
  if (why == EndedBy::time_limit || why == EndedBy::silence) ask_for_stacks();
  if (*term_at_ == now) end_in_good_order(now);
}

// What it hangs in: its own stacks, where it knows how to write them, and the system's view.
void Child::ask_for_stacks() {
  folder_.append_to_log(thread_states(process_.pid()));
  int const signal = conversation_.stack_signal();
  if (signal == 0) return;
  process_.signal_alone(signal);
  *term_at_ += kStackTime;
}

void Child::end_in_good_order(Clock::time_point now) {
  term_at_.reset();
  say(stop_line());
  process_.signal_group(SIGTERM);
  kill_at_ = now + seconds(plan_.options.grace_s);
}

void Child::stop_if_silent(Clock::time_point now) {
  std::uint64_t const bytes = folder_.log_bytes();
  if (bytes != std::exchange(heard_log_bytes_, bytes)) heard_ = now;
  if (now - heard_ > seconds(plan_.options.silence_s)) stop(EndedBy::silence, now);
}

void Child::thaw(Clock::duration away) {
  for (Clock::time_point* const moment : {&started_, &heard_}) *moment += away;
  if (waiting_since_) *waiting_since_ += away;
  if (term_at_) *term_at_ += away;
  if (kill_at_) *kill_at_ += away;
  process_.signal_group(SIGCONT);
}

Result<std::optional<results::OpResult>> Child::tick(Clock::time_point now) {
  std::optional<ExitStatus> const status = process_.try_wait();
  if (status) return finish(*status, now);
  if (running_s(now) > plan_.options.time_limit_s) stop(EndedBy::time_limit, now);
  if (folder_.log_bytes() > plan_.options.log_limit_bytes) stop(EndedBy::log_limit, now);
  if (conversation_.is_flooding()) stop(EndedBy::broken_protocol, now);
  if (term_at_ && now >= *term_at_) end_in_good_order(now);
  if (kill_at_ && now >= *kill_at_) process_.signal_group(SIGKILL);
  return std::nullopt;
}

Result<std::optional<results::OpResult>> Child::finish(ExitStatus const& status,
                                                       Clock::time_point now) {
  // What it said last may still be in the socket; a grandchild may hold the other end open.
  while (channel_.is_open() && !conversation_.is_flooding()) {
    char buffer[65536];
    ssize_t const count = ::recv(channel_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count <= 0) break;
    Result<void> const heard = hear({buffer, static_cast<std::size_t>(count)});
    if (!heard) return tl::unexpected<Error>(heard.error());
  }
  channel_.reset();
  folder_.cut_log(plan_.options.log_limit_bytes);
  was_killed_by_system_ = !ended_by_ && status.signal == SIGKILL;
  Result<void> booked = book(conversation_.close());
  if (!booked) return tl::unexpected<Error>(booked.error());
  book_phase_time(conversation_.phase(), now);
  results::OpState const& state = *state_.find(plan_.op);
  ChildEnd const end{ended_by_.value_or(EndedBy::itself), status, running_s(now),
                     folder_.last_log_line(), phase_times_s_};
  results::OpResult result = conclude(plan_, state, conversation_, end);
  Result<void> const written = folder_.write_identity(plan_, state);
  if (!written) return tl::unexpected<Error>(written.error());
  return result;
}

}  // namespace zl::run
