#pragma once

#include <vector>

#include "base/files.h"
#include "batch/request.h"
#include "results/event_log.h"
#include "results/state.h"

namespace zl::batch {

// Every path of a batch is made here.
struct BatchPaths {
  fs::path folder;

  fs::path request() const { return folder / "batch.json"; }
  fs::path events() const { return folder / "events.jsonl"; }
  fs::path status() const { return folder / "ops_status.csv"; }
  fs::path caches() const { return folder / "cache"; }
  fs::path run_dir(std::string const& op) const { return folder / op; }
};

// A name for a new batch: time, backend and four random digits.
std::string new_batch_name(std::string const& backend);

// Makes <runs>/<name> with its batch.json. The folder must not exist.
Result<BatchPaths> create_batch(fs::path const& runs, BatchRequest const& request);

struct StoredBatch {
  BatchPaths paths;
  BatchRequest request;
  results::BatchState state;
  results::LogFacts log;
};

// A batch folder, or a folder of one of its runs. Says what is missing when it is neither.
Result<StoredBatch> open_batch(fs::path const& folder);

// What is still to run: every operator of the request that has no result, or whose run was
// interrupted. Pure; keeps the request's order.
std::vector<provider::ProviderCase> outstanding(BatchRequest const& request,
                                                results::BatchState const& state);

}  // namespace zl::batch
