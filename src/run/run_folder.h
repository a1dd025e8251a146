#pragma once

#include "base/files.h"
#include "results/state.h"
#include "run/plan.h"

namespace zl::run {

// The files of one run (docs/event-log.md): plan.json, run.log, run_identity.json,
// measurements.jsonl, kernels.jsonl. All but the log can be rebuilt from the batch's event log.
class RunFolder {
 public:
  // Makes the folder and writes the plan. An earlier attempt's files are replaced, but for its log:
  // that is run.N.log from then on, with the number of the attempt before `attempt`.
  static Result<RunFolder> create(Plan const& plan, int attempt);

  int log_fd() const { return log_.get(); }
  std::uint64_t log_bytes() const;
  // The last line of the log that is not blank, from its last 64 KiB.
  std::string last_log_line() const;

  // A line of ours in the child's log; what does not fit is lost.
  void append_to_log(std::string const& text) const;
  // Cuts a log that grew over the limit down to its begin and its end, once its child is gone.
  void cut_log(std::uint64_t limit_bytes) const;

  // Appends what belongs into measurements.jsonl and kernels.jsonl.
  Result<void> record(results::Event const& event, results::OpState& state);
  // run_identity.json: the parent's half, then the child's over it.
  Result<void> write_identity(Plan const& plan, results::OpState const& state);

 private:
  RunFolder(fs::path folder, Fd log, Fd measurements, Fd kernels)
      : folder_(std::move(folder)),
        log_(std::move(log)),
        measurements_(std::move(measurements)),
        kernels_(std::move(kernels)) {}

  fs::path folder_;
  Fd log_;
  Fd measurements_;
  Fd kernels_;
};

}  // namespace zl::run
