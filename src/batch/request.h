// batch/: many operators on several devices: what is asked for, the folder it is kept in, the loop
// that runs it, and what is left to do after an interruption.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "provider/provider.h"
#include "run/plan.h"

namespace zl::batch {

// All that a batch needs to be run, or resumed by another process: batch.json.
struct BatchRequest {
  std::string name;  // the folder's name
  std::string created_utc;
  std::string backend;
  std::vector<std::string> backend_dirs;
  std::string shard;    // "2/4": of a selection that was split; empty: all of it
  std::string devices;  // as given: "all", "0,1", UUIDs
  std::string provider;
  std::string corpus;  // empty for the native provider
  std::string python;
  run::PlanOptions options;
  std::vector<provider::ProviderCase> operations;  // in the order in which they run
};

std::string to_json_text(BatchRequest const& request);
// Errors name the field. A newer format is refused.
Result<BatchRequest> parse_batch_request(std::string_view text, std::string const& origin);

}  // namespace zl::batch
