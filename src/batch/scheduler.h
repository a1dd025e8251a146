#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/signals.h"
#include "batch/batch_folder.h"
#include "results/observer.h"
#include "run/child.h"

namespace zl::batch {

struct SchedulerSetup {
  BatchPaths paths;
  BatchRequest request;
  std::vector<provider::ProviderCase> work;  // request.operations, or what is outstanding of it
  results::BatchState state;                 // what earlier processes logged
  bool is_resumed = false;
  // Everything of a plan but the operator, the device and the run folder.
  run::PlanRequest plan;
  std::vector<std::optional<backend::Device>> devices;  // one child at a time on each
  // The cause of a run that is no success, "on-chip F13"; asked while its cases are still known.
  std::function<std::string(results::BatchState const&, results::OpResult const&)> name_cause = {};
};

enum class BatchEnd { finished, interrupted };

// Runs a batch to its end: one poll loop, no threads. While work remains: start a child on every
// free device, wait for one thing, book it, tell the observer. An operator's failure is a result;
// an error is returned only when the batch's own files cannot be written.
class Scheduler {
 public:
  Scheduler(SchedulerSetup setup, results::Observer& observer);
  Result<BatchEnd> run();

  results::BatchState const& state() const { return setup_.state; }

 private:
  struct Slot {
    std::optional<backend::Device> device;
    std::unique_ptr<run::Child> child;
    run::Clock::time_point started;
  };

  Result<void> open_files();
  Result<void> tell(results::Event const& event);
  Result<void> fill_slots();
  Result<void> start(Slot& slot, provider::ProviderCase const& operation);
  Result<void> wait_for_something();
  Result<void> advance_children();
  Result<void> book_result(results::OpResult result);
  void obey_signals();
  void show_activity();
  bool is_idle() const;

  SchedulerSetup setup_;
  results::Observer& observer_;
  std::deque<provider::ProviderCase> queue_;
  std::vector<Slot> slots_;
  SignalWatch signals_;
  std::optional<results::EventLog> log_;
  Fd status_file_;
  bool is_interrupted_ = false;
};

}  // namespace zl::batch
