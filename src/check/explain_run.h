#pragma once

#include <string>
#include <vector>

#include "check/run_evidence.h"

namespace zl::check {

// One run, with what the rest of its batch says of it. `result` is that of the run.
Result<Explanation> explain_run(RuleBook const& book, RunPlace const& place,
                                results::OpResult const& result, results::BatchState const& batch,
                                FileFacts const& file_facts = {});

// Failures of one cause.
struct Group {
  Explanation first;
  std::vector<std::string> operators;
};

// Every operator of the batch that did not pass, and those that passed with numbers that mean
// nothing. Largest group first, then by precedence.
Result<std::vector<Group>> explain_batch(RuleBook const& book, std::filesystem::path const& folder,
                                         results::BatchState batch,
                                         FileFacts const& file_facts = {});

std::string to_text(std::vector<Group> const& groups, std::filesystem::path const& folder);
std::string to_json_text(std::vector<Group> const& groups);

// Does an explanation of a run that passed say that its numbers mean nothing?
bool spoils_a_pass(Explanation const& explanation);

}  // namespace zl::check
