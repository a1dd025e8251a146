// The scheduler's way from a queue of operators to children on seats.
#include <fmt/format.h>

#include "base/text.h"
#include "batch/scheduler.h"

namespace zl::batch {

namespace {

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

void Scheduler::enqueue(provider::ProviderCase const& operation, bool is_first) {
  results::OpState const* const known = setup_.state.find(operation.op);
  bool const is_alone = known != nullptr && next_trial(known->earlier).is_alone;
  std::deque<provider::ProviderCase>& queue = is_alone ? alone_ : queue_;
  queue.insert(is_first ? queue.begin() : queue.end(), operation);
}

// Those that want a device of their own come when a device has nobody: at the end, as a rule.
Result<void> Scheduler::fill_seats() {
  while (has_work() && !is_interrupted_) {
    bool const is_alone = queue_.empty();
    std::deque<provider::ProviderCase>& queue = is_alone ? alone_ : queue_;
    provider::ProviderCase const operation = queue.front();
    if (!operation.problem.empty()) {
      queue.pop_front();
      Result<void> const booked = book_result(result_without_child(
          operation, results::Status::unresolved, operation.problem, setup_.request.backend));
      if (!booked) return booked;
      continue;
    }
    Result<Station*> const station = next_station(is_alone);
    if (!station) return tl::unexpected<Error>(station.error());
    if (*station == nullptr) return {};
    queue.pop_front();
    Result<void> const started = start(**station, operation);
    if (!started) return started;
  }
  return {};
}

// The one with the fewest children; null when there is none that may take one more.
Result<Station*> Scheduler::next_station(bool is_alone) {
  Station* best = nullptr;
  for (Station& station : stations_) {
    bool const is_closed = station.is_retired() || station.is_suspect() || station.has_loner() ||
                           !station.free_seat() || (is_alone && station.children() > 0);
    bool const is_worse = best != nullptr && station.children() >= best->children();
    if (is_closed || is_worse) continue;
    Result<bool> const ours = is_ours(station);
    if (!ours) return tl::unexpected<Error>(ours.error());
    if (*ours) best = &station;
  }
  return best;
}

Result<bool> Scheduler::is_ours(Station& station) {
  std::string const before = station.waits_for();
  Result<bool> const ours =
      station.take_lock(lock_folder(setup_.plan.caller), setup_.request.backend,
                        "batch " + setup_.paths.folder.string());
  if (!ours || *ours || station.waits_for() == before) return ours;
  Result<void> const noted =
      tell(results::Noted{"", "info", "DEVICE_IN_USE",
                          fmt::format("device {} is used by {}: waiting for it", station.label(),
                                      station.waits_for())});
  if (!noted) return tl::unexpected<Error>(noted.error());
  return false;
}

run::PlanRequest Scheduler::plan_of(Station const& station, provider::ProviderCase const& operation,
                                    int seat, Trial const& trial) const {
  run::PlanRequest request = setup_.plan;
  request.operation = operation;
  request.device = station.device();
  request.seat = {seat, station.seats()};
  request.places.run_dir = setup_.paths.run_dir(operation.op);
  request.places.cache_dir =
      trial.has_private_cache ? request.places.run_dir / "cache" : setup_.paths.caches();
  if (trial.has_direct_timer) request.options.timer = "direct";
  return request;
}

// An operator that cannot be started gets its result here, and the seat stays free.
Result<void> Scheduler::start(Station& station, provider::ProviderCase const& operation) {
  results::OpState const* const known = setup_.state.find(operation.op);
  int const attempt = known == nullptr ? 1 : known->attempts + 1;
  Trial const trial = known == nullptr ? Trial{} : next_trial(known->earlier);
  int const seat = *station.free_seat();
  Result<run::Plan> plan = run::make_plan(plan_of(station, operation, seat, trial));
  if (!plan) return tl::unexpected<Error>(plan.error());
  Occupant occupant;
  occupant.operation = operation;
  occupant.facts.trial = trial;
  occupant.facts.is_corpus = operation.provider != "native";
  occupant.facts.could_capture = setup_.plan.options.timer == "auto" && plan->timer == "graph";
  // A folder that cannot be written is no fault of the operator: the batch stops here.
  Result<run::RunFolder> folder = run::RunFolder::create(*plan, attempt);
  if (!folder) return tl::unexpected<Error>(folder.error());
  Result<std::unique_ptr<run::Child>> child = run::Child::start(
      std::move(*plan), std::move(*folder), setup_.plan.caller, attempt, setup_.state,
      [this](results::Event const& event) { return tell(event); }, station.board_fd());
  if (!child) {
    return book_result(result_without_child(operation, results::Status::not_started,
                                            child.error().text, setup_.request.backend));
  }
  occupant.child = std::move(*child);
  station.sit_down(seat, std::move(occupant));
  return {};
}

}  // namespace zl::batch
