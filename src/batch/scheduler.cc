#include "batch/scheduler.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/host.h"
#include "base/text.h"
#include "results/status_csv.h"

namespace zl::batch {

namespace {

// Limits are watched, and the observer is told, this often.
constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::milliseconds kShowPause{50};

bool has_lost_device(results::OpState const& state) {
  return std::any_of(state.notes.begin(), state.notes.end(),
                     [](results::Noted const& note) { return note.code == "DEVICE_LOST"; });
}

}  // namespace

Scheduler::Scheduler(SchedulerSetup setup, results::Observer& observer)
    : setup_(std::move(setup)),
      observer_(observer),
      signals_({SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGTSTP, SIGWINCH}) {
  for (provider::ProviderCase const& operation : setup_.work) enqueue(operation, false);
}

Result<BatchEnd> Scheduler::run() {
  Result<void> step = open_stations();
  if (step) step = open_files();
  if (!step) return tl::unexpected<Error>(step.error());
  step = end_batch(work());
  if (!step) return tl::unexpected<Error>(step.error());
  return is_interrupted_ ? BatchEnd::interrupted : BatchEnd::finished;
}

Result<void> Scheduler::work() {
  while ((has_work() && !is_interrupted_) || !is_idle()) {
    Result<void> step = fill_seats();
    if (step && has_work() && !is_interrupted_ && is_idle() &&
        std::all_of(stations_.begin(), stations_.end(),
                    [](Station const& station) { return station.is_retired(); })) {
      step = fail(ErrorKind::environment, "no device is left: " + last_loss_);
    }
    show_activity();
    if (step) step = wait_for_something();
    bool const is_due = has_news_ || run::Clock::now() - looked_ >= kTick;
    if (is_due) {
      has_news_ = false;
      looked_ = run::Clock::now();
      for (Station& station : stations_) {
        if (step) step = advance(station);
      }
    }
    if (!step) return step;
  }
  return {};
}

// The log has the end also of a batch that cannot go on, if it can be written at all.
Result<void> Scheduler::end_batch(Result<void> const& outcome) {
  bool has_failures = false;
  for (results::OpState const& state : setup_.state.operators()) {
    has_failures = has_failures || !state.result || results::is_failure(state.result->status);
  }
  int const exit_code = !outcome ? 4 : is_interrupted_ ? 130 : has_failures ? 1 : 0;
  char const* const why = !outcome ? "stopped" : is_interrupted_ ? "interrupted" : "finished";
  Result<void> const told = tell(results::BatchEnded{utc_now(), exit_code, why});
  return outcome ? told : outcome;
}

Result<void> Scheduler::open_stations() {
  for (std::optional<backend::Device> const& device : setup_.devices) {
    Result<Station> station = Station::create(device, setup_.jobs_per_device);
    if (!station) return tl::unexpected<Error>(station.error());
    stations_.push_back(std::move(*station));
  }
  return {};
}

// The log is opened, and the status file made anew from what the log held before.
Result<void> Scheduler::open_files() {
  Result<results::EventLog> log = results::EventLog::open(setup_.paths.events());
  if (!log) return tl::unexpected<Error>(log.error());
  log_.emplace(std::move(*log));
  std::string text = std::string(results::kStatusColumns) + "\n";
  for (results::OpState const& state : setup_.state.operators()) {
    bool const is_final = state.result && state.result->status != results::Status::interrupted;
    if (is_final) text += results::status_row(*state.result) + "\n";
  }
  Result<void> const written = write_file_atomic(setup_.paths.status(), text);
  if (!written) return written;
  status_file_ = Fd(::open(setup_.paths.status().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!status_file_.is_open()) {
    return fail(
        ErrorKind::environment,
        fmt::format("cannot write {}: {}", setup_.paths.status().string(), std::strerror(errno)));
  }
  if (setup_.is_resumed) {
    return tell(results::BatchResumed{utc_now(), static_cast<int>(queue_.size() + alone_.size())});
  }
  return tell(results::BatchBegun{setup_.request.name, own_version(), host_name(), utc_now(), "",
                                  static_cast<int>(setup_.request.operations.size())});
}

Result<void> Scheduler::tell(results::Event const& event) {
  Result<void> const logged = log_->append(event);
  if (!logged) return logged;
  setup_.state.apply(event);
  observer_.on_event(event);
  return {};
}

bool Scheduler::is_idle() const {
  return std::all_of(stations_.begin(), stations_.end(), [](Station const& station) {
    return station.children() == 0 && !station.is_suspect();
  });
}

Result<void> Scheduler::wait_for_something() {
  std::vector<pollfd> entries{{signals_.fd(), POLLIN, 0}};
  std::vector<std::pair<Station*, run::Child*>> owners;
  for (Station& station : stations_) {
    for (std::optional<Occupant>& occupant : station.occupants()) {
      if (!occupant || occupant->child->channel_fd() < 0) continue;
      entries.push_back({occupant->child->channel_fd(), POLLIN, 0});
      owners.emplace_back(&station, occupant->child.get());
    }
  }
  bool const has_more = has_work() && !is_interrupted_;
  int const timeout_ms = is_idle() && !has_more ? 0 : static_cast<int>(kTick.count());
  int const ready = ::poll(entries.data(), entries.size(), timeout_ms);
  obey_signals();
  if (ready <= 0) return {};
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (entries[i + 1].revents == 0) continue;
    auto const [station, child] = owners[i];
    Result<void> const heard = child->on_readable();
    if (!heard) return heard;
    has_news_ = has_news_ || child->conversation().is_flooding();
    station->settle_wishes();
  }
  return {};
}

void Scheduler::obey_signals() {
  for (int const signal : signals_.take()) {
    if (signal == SIGCHLD) {
      has_news_ = true;
    } else if (signal == SIGTSTP) {
      pause();
    } else if (signal != SIGWINCH) {
      obey_interrupt();
    }
  }
}

// The first interrupt ends the batch in good order; the second one does not wait for the children.
void Scheduler::obey_interrupt() {
  for (Station& station : stations_) {
    for (std::optional<Occupant>& occupant : station.occupants()) {
      if (!occupant) continue;
      if (is_interrupted_) occupant->child->kill_now();
      occupant->child->stop(run::EndedBy::user, run::Clock::now());
    }
  }
  is_interrupted_ = true;
}

// Ctrl-Z: the children lie still as long as we do, and nobody's time runs on.
void Scheduler::pause() {
  observer_.on_pause();
  run::Clock::time_point const before = run::Clock::now();
  for (Station& station : stations_) {
    for (std::optional<Occupant>& occupant : station.occupants()) {
      if (occupant) occupant->child->freeze();
    }
  }
  ::raise(SIGSTOP);  // `fg` goes on here
  run::Clock::duration const away = run::Clock::now() - before;
  for (Station& station : stations_) {
    for (std::optional<Occupant>& occupant : station.occupants()) {
      if (occupant) occupant->child->thaw(away);
    }
  }
}

Result<void> Scheduler::advance(Station& station) {
  for (int seat = 0; seat < station.seats(); ++seat) {
    std::optional<Occupant>& occupant = station.occupants()[static_cast<std::size_t>(seat)];
    if (!occupant) continue;
    run::Clock::time_point const now = run::Clock::now();
    if (station.is_in_the_way(seat)) occupant->child->stop_if_silent(now);
    Result<std::optional<results::OpResult>> result = occupant->child->tick(now);
    if (!result) return tl::unexpected<Error>(result.error());
    if (!*result) continue;
    Result<void> const ended = take_end(station, seat, std::move(**result));
    if (!ended) return ended;
  }
  return settle_suspects(station);
}

Result<void> Scheduler::take_end(Station& station, int seat, results::OpResult result) {
  Occupant occupant = station.stand_up(seat);
  occupant.facts.is_killed_by_system = occupant.child->was_killed_by_system();
  occupant.child.reset();
  station.settle_wishes();
  if (!has_work() && station.children() == 0) station.drop_lock();
  bool const is_lost = station.is_retired() || (has_lost_device(*setup_.state.find(result.op)) &&
                                                result.status != results::Status::interrupted);
  if (!is_lost || station.is_retired()) return conclude(occupant, std::move(result), is_lost);
  station.suspect({std::move(result), std::move(occupant)});
  return {};
}

Result<void> Scheduler::settle_suspects(Station& station) {
  if (!station.is_suspect()) return {};
  if (is_interrupted_) {
    for (Suspect& suspect : station.take_suspects()) {
      suspect.result.status = results::Status::interrupted;
      Result<void> const booked = book_result(std::move(suspect.result));
      if (!booked) return booked;
    }
    return {};
  }
  std::optional<HealthCheck::Verdict> const verdict = station.check_health(setup_.plan);
  if (!verdict) return {};
  if (!verdict->is_healthy) {
    Result<void> const retired = retire(station, verdict->text);
    if (!retired) return retired;
  }
  for (Suspect& suspect : station.take_suspects()) {
    Result<void> const concluded =
        conclude(suspect.occupant, std::move(suspect.result), !verdict->is_healthy);
    if (!concluded) return concluded;
  }
  return {};
}

// What still runs there cannot end well: it is ended, and runs elsewhere.
Result<void> Scheduler::retire(Station& station, std::string const& why) {
  station.retire();
  station.drop_lock();
  last_loss_ = fmt::format("device {}: {}", station.label(), why);
  for (std::optional<Occupant>& occupant : station.occupants()) {
    if (occupant) occupant->child->stop(run::EndedBy::lost_device, run::Clock::now());
  }
  return tell(results::Noted{"", "error", "DEVICE_RETIRED",
                             last_loss_ + "; its operators go to the other devices"});
}

// A result, or one more attempt.
Result<void> Scheduler::conclude(Occupant const& occupant, results::OpResult result,
                                 bool has_lost_device) {
  AttemptFacts facts = occupant.facts;
  facts.has_lost_device = has_lost_device;
  results::OpState const& state = *setup_.state.find(result.op);
  std::optional<Retry> const retry =
      is_interrupted_ ? std::nullopt : retry_of(result, state, facts);
  if (!retry) return book_result(std::move(result));
  Result<void> const told =
      tell(results::AttemptEnded{result.op, state.attempts, result.status, result.reason,
                                 result.device, retry->cause, retry->changes});
  if (!told) return told;
  setup_.state.drop_details(result.op);
  enqueue(occupant.operation, has_lost_device);
  return {};
}

Result<void> Scheduler::book_result(results::OpResult result) {
  bool const has_cause =
      result.status != results::Status::passed && result.status != results::Status::interrupted;
  if (has_cause && setup_.name_cause) result.cause = setup_.name_cause(setup_.state, result);
  results::OpState const* const state = setup_.state.find(result.op);
  if (state != nullptr && !state->earlier.empty()) {
    result.reason += (result.reason.empty() ? "" : "; ") + told(state->earlier);
  }
  Result<void> const told = tell(results::RunEnded{result});
  if (!told) return told;
  setup_.state.drop_details(result.op);
  if (result.status == results::Status::interrupted) return {};
  return write_all(status_file_.get(), results::status_row(result) + "\n",
                   setup_.paths.status().string());
}

void Scheduler::show_activity() {
  run::Clock::time_point const now = run::Clock::now();
  if (now - shown_ < kShowPause) return;
  shown_ = now;
  std::vector<results::Activity> activities;
  for (Station const& station : stations_) {
    if (station.children() == 0 && !station.waits_for().empty() && has_work()) {
      activities.push_back({station.label(), "", "used by " + station.waits_for(), 0, true, false});
    }
    for (int seat = 0; seat < station.seats(); ++seat) {
      auto const& occupant = station.occupants()[static_cast<std::size_t>(seat)];
      if (!occupant) continue;
      run::Child const& child = *occupant->child;
      activities.push_back({station.label(), child.plan().op, child.conversation().phase(),
                            child.running_s(now), child.is_waiting(), station.is_measuring(seat)});
    }
  }
  observer_.on_activity(activities);
}

}  // namespace zl::batch
