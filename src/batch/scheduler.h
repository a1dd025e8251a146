#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/signals.h"
#include "batch/batch_folder.h"
#include "batch/station.h"
#include "results/observer.h"

namespace zl::batch {

struct SchedulerSetup {
  BatchPaths paths;
  BatchRequest request;
  std::vector<provider::ProviderCase> work;  // request.operations, or what is outstanding of it
  results::BatchState state;                 // what earlier processes logged
  bool is_resumed = false;
  // Everything of a plan but the operator, the device, the seat and the run folder.
  run::PlanRequest plan;
  std::vector<std::optional<backend::Device>> devices;
  int jobs_per_device = 1;  // children that prepare side by side; one measures
  // The cause of a run that is no success, "on-chip F13"; asked while its cases are still known.
  std::function<std::string(results::BatchState const&, results::OpResult const&)> name_cause = {};
};

enum class BatchEnd { finished, interrupted };

// Runs a batch to its end: one poll loop, no threads. While work remains: start children where
// there is a free seat, wait for one thing, book it, tell the observer. An operator's failure is a
// result; an error is returned when the batch's own files cannot be written, and when no device is
// left.
class Scheduler {
 public:
  Scheduler(SchedulerSetup setup, results::Observer& observer);
  Result<BatchEnd> run();

  results::BatchState const& state() const { return setup_.state; }

 private:
  Result<void> open_files();
  Result<void> open_stations();
  Result<void> work();
  Result<void> tell(results::Event const& event);
  Result<void> end_batch(Result<void> const& outcome);
  bool is_idle() const;
  bool has_work() const { return !queue_.empty() || !alone_.empty(); }

  // batch/starting.cc
  Result<void> fill_seats();
  Result<Station*> next_station(bool is_alone);
  Result<bool> is_ours(Station& station);
  Result<void> start(Station& station, provider::ProviderCase const& operation);
  run::PlanRequest plan_of(Station const& station, provider::ProviderCase const& operation,
                           int seat, Trial const& trial) const;
  void enqueue(provider::ProviderCase const& operation, bool is_first);

  Result<void> wait_for_something();
  void obey_signals();
  void obey_interrupt();
  void pause();
  Result<void> advance(Station& station);
  Result<void> take_end(Station& station, int seat, results::OpResult result);
  Result<void> settle_suspects(Station& station);
  Result<void> conclude(Occupant const& occupant, results::OpResult result, bool has_lost_device);
  Result<void> retire(Station& station, std::string const& why);
  Result<void> book_result(results::OpResult result);
  void show_activity();

  SchedulerSetup setup_;
  results::Observer& observer_;
  std::deque<provider::ProviderCase> queue_;
  std::deque<provider::ProviderCase> alone_;  // that want a device of their own
  std::vector<Station> stations_;
  SignalWatch signals_;
  std::optional<results::EventLog> log_;
  Fd status_file_;
  std::string last_loss_;  // why the latest device was given up
  bool is_interrupted_ = false;
  bool has_news_ = true;  // a child may have ended since advance() looked
  run::Clock::time_point looked_;
  run::Clock::time_point shown_;
};

}  // namespace zl::batch
