#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/classes.h"

namespace zl::check {

// A cheap variation of a failing run, and what it means when the failure changes with it.
struct Probe {
  std::string id;
  std::string what;
  std::string script;        // a Python file, run instead of the operator
  bool is_smallest = false;  // small shapes, one dtype
  bool is_accuracy = false;  // the operator's accuracy test
  std::string timer;         // "": as asked
  std::vector<std::string> corpus_arguments;
  std::map<std::string, std::string> environment;  // set beside what the run has
  Class const* in_class = nullptr;                 // that a change names
  std::string says;
};

// Cheapest first (check/probes/probes.yaml).
Result<std::vector<Probe>> load_probes();
// The text of a probe's script.
std::string probe_script(std::string const& name);

// How a run or probe ended.
struct ProbeOutcome {
  bool is_ok = false;
  std::string signature;  // of its failure; equal for failures that are alike
};

// Does the outcome of a probe change the failure? A script is held against success: it knows
// nothing of the operator.
bool changes_failure(Probe const& probe, ProbeOutcome const& reference,
                     ProbeOutcome const& outcome);

}  // namespace zl::check
