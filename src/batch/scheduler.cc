#include "batch/scheduler.h"

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

// Limits are watched this often while nothing else happens.
constexpr int kTickMs = 200;

results::OpResult result_without_child(provider::ProviderCase const& operation,
                                       results::Status status, std::string reason,
                                       std::string const& backend) {
  results::OpResult result;
  result.op = operation.op;
  result.node = join(operation.nodes, " ");
  result.status = status;
  result.reason = std::move(reason);
  result.backend = backend;
  result.attempts = 0;
  return result;
}

}  // namespace

Scheduler::Scheduler(SchedulerSetup setup, results::Observer& observer)
    : setup_(std::move(setup)),
      observer_(observer),
      queue_(setup_.work.begin(), setup_.work.end()),
      signals_({SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
  for (std::optional<backend::Device> const& device : setup_.devices) {
    slots_.push_back({device, nullptr, {}});
  }
}

Result<BatchEnd> Scheduler::run() {
  Result<void> step = open_files();
  while (step && !(queue_.empty() && is_idle()) && !(is_interrupted_ && is_idle())) {
    step = fill_slots();
    if (step) step = wait_for_something();
    if (step) step = advance_children();
    show_activity();
  }
  if (!step) return tl::unexpected<Error>(step.error());
  bool has_failures = false;
  for (results::OpState const& state : setup_.state.operators()) {
    has_failures = has_failures || !state.result || results::is_failure(state.result->status);
  }
  int const exit_code = is_interrupted_ ? 130 : has_failures ? 1 : 0;
  step =
      tell(results::BatchEnded{utc_now(), exit_code, is_interrupted_ ? "interrupted" : "finished"});
  if (!step) return tl::unexpected<Error>(step.error());
  return is_interrupted_ ? BatchEnd::interrupted : BatchEnd::finished;
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
    return tell(results::BatchResumed{utc_now(), static_cast<int>(queue_.size())});
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
  for (Slot const& slot : slots_) {
    if (slot.child) return false;
  }
  return true;
}

Result<void> Scheduler::fill_slots() {
  for (Slot& slot : slots_) {
    while (!slot.child && !queue_.empty() && !is_interrupted_) {
      provider::ProviderCase const operation = queue_.front();
      queue_.pop_front();
      Result<void> const started = start(slot, operation);
      if (!started) return started;
    }
  }
  return {};
}

// An operator that cannot be started gets its result here, and the slot stays free.
Result<void> Scheduler::start(Slot& slot, provider::ProviderCase const& operation) {
  if (!operation.problem.empty()) {
    return book_result(result_without_child(operation, results::Status::unresolved,
                                            operation.problem, setup_.request.backend));
  }
  run::PlanRequest request = setup_.plan;
  request.operation = operation;
  request.device = slot.device;
  request.places.run_dir = setup_.paths.run_dir(operation.op);
  request.places.cache_dir = setup_.paths.caches();
  Result<run::Plan> plan = run::make_plan(request);
  if (!plan) return tl::unexpected<Error>(plan.error());
  results::OpState const* const known = setup_.state.find(operation.op);
  int const attempt = known == nullptr ? 1 : known->attempts + 1;
  Result<std::unique_ptr<run::Child>> child =
      run::Child::start(std::move(*plan), setup_.plan.caller, attempt, setup_.state,
                        [this](results::Event const& event) { return tell(event); });
  if (!child) {
    return book_result(result_without_child(operation, results::Status::not_started,
                                            child.error().text, setup_.request.backend));
  }
  slot.child = std::move(*child);
  slot.started = run::Clock::now();
  return {};
}

Result<void> Scheduler::wait_for_something() {
  std::vector<pollfd> entries{{signals_.fd(), POLLIN, 0}};
  std::vector<run::Child*> owners;
  for (Slot const& slot : slots_) {
    if (!slot.child || slot.child->channel_fd() < 0) continue;
    entries.push_back({slot.child->channel_fd(), POLLIN, 0});
    owners.push_back(slot.child.get());
  }
  int const ready = is_idle() ? 0 : ::poll(entries.data(), entries.size(), kTickMs);
  obey_signals();
  if (ready <= 0) return {};
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (entries[i + 1].revents == 0) continue;
    Result<void> const heard = owners[i]->on_readable();
    if (!heard) return heard;
  }
  return {};
}

// The first interrupt ends the batch in good order; the second one does not wait for the children.
void Scheduler::obey_signals() {
  for (int const signal : signals_.take()) {
    if (signal == SIGCHLD) continue;
    for (Slot& slot : slots_) {
      if (!slot.child) continue;
      if (is_interrupted_) slot.child->kill_now();
      slot.child->stop(run::EndedBy::user, run::Clock::now());
    }
    is_interrupted_ = true;
  }
}

Result<void> Scheduler::advance_children() {
  for (Slot& slot : slots_) {
    if (!slot.child) continue;
    Result<std::optional<results::OpResult>> result = slot.child->tick(run::Clock::now());
    if (!result) return tl::unexpected<Error>(result.error());
    if (!*result) continue;
    slot.child.reset();
    Result<void> const booked = book_result(**result);
    if (!booked) return booked;
  }
  return {};
}

Result<void> Scheduler::book_result(results::OpResult result) {
  bool const has_cause =
      result.status != results::Status::passed && result.status != results::Status::interrupted;
  if (has_cause && setup_.name_cause) result.cause = setup_.name_cause(setup_.state, result);
  Result<void> const told = tell(results::RunEnded{result});
  if (!told) return told;
  setup_.state.drop_details(result.op);
  if (result.status == results::Status::interrupted) return {};
  return write_all(status_file_.get(), results::status_row(result) + "\n",
                   setup_.paths.status().string());
}

void Scheduler::show_activity() {
  std::vector<results::Activity> activities;
  for (Slot const& slot : slots_) {
    if (!slot.child) continue;
    double const running_s =
        std::chrono::duration<double>(run::Clock::now() - slot.started).count();
    activities.push_back({slot.device ? std::to_string(slot.device->index) : "-",
                          slot.child->plan().op, slot.child->conversation().phase(), running_s});
  }
  observer_.on_activity(activities);
}

}  // namespace zl::batch
