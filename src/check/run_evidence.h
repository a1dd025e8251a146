#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/explain.h"
#include "results/record.h"
#include "results/state.h"

namespace zl::check {

// What a look at the operator's file says without running it: the ids of the findings. May be
// empty.
using FileFacts = std::function<std::vector<std::string>(std::string const& node)>;

// Where one run left what it left.
struct RunPlace {
  std::filesystem::path events;  // of its batch
  std::filesystem::path folder;
  std::string op;
};

struct RunEvidence {
  Facts facts;
  std::vector<Reading> readings;  // what the child reported, then its log
};

// `ended` is the result where the log of events does not have it yet. Files that are not there are
// facts, not errors; one that is there and cannot be read is an error.
Result<RunEvidence> read_run(RuleBook const& book, RunPlace const& place,
                             std::optional<results::OpResult> const& ended,
                             FileFacts const& file_facts = {});

// The other operators of a batch as facts about one: how many passed, and how many failed like it
// (with the same rule; where no signature fits, with the same text).
void add_batch_facts(Facts& facts, results::BatchState const& batch,
                     results::OpResult const& result, Explanation const& alone);

}  // namespace zl::check
