#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "results/record.h"

namespace zl::results {

// Everything that can happen in a batch, in the order it happened. The scheduler makes them; the
// log, the live progress and the folded state consume them, and know nothing else of each other.
// docs/event-log.md is the written form.

struct BatchBegun {
  std::string batch;  // the batch folder's name
  std::string tool_version;
  std::string host;
  std::string time_utc;      // 2026-11-30T19:05:17Z
  std::string request_json;  // what was asked, as batch.json has it
  int total = 0;             // operators selected
};
struct BatchResumed {
  std::string time_utc;
  int outstanding = 0;
};
struct RunBegun {
  std::string op;
  int attempt = 1;
  std::string node;
  std::string provider;
  std::string backend;
  std::string device;
  std::string timer;
  std::string run_dir;
  long long pid = 0;
};
struct IdentityKnown {
  std::string op;
  std::string identity_json;  // an object, to be merged over what is known
};
struct CaseBegun {
  std::string op;
  Case begun;
  std::string shape_json;
};
struct Measured {
  std::string op;
  Measurement measurement;
};
struct CaseEnded {
  std::string op;
  std::string case_id;
  CaseStatus status = CaseStatus::ok;
  std::string phase;
  std::string error;
  std::string metrics_json;
};
struct KernelSeen {
  std::string op;
  Kernel kernel;
};
struct Noted {
  std::string op;     // empty: the batch
  std::string level;  // info, warning, error
  std::string code;   // a stable word, may be empty
  std::string text;
};
// An attempt that is not the operator's result: it is run again.
struct AttemptEnded {
  std::string op;
  int attempt = 1;
  Status status = Status::failed;
  std::string reason;
  std::string device;
  std::string cause;                 // why another one may end differently
  std::vector<std::string> changes;  // in what it will differ (docs/batches.md)
};
struct RunEnded {
  OpResult result;
};
struct BatchEnded {
  std::string time_utc;
  int exit_code = 0;
  std::string why;  // finished, interrupted, stopped
};

using Event = std::variant<BatchBegun, BatchResumed, RunBegun, IdentityKnown, CaseBegun, Measured,
                           CaseEnded, KernelSeen, Noted, AttemptEnded, RunEnded, BatchEnded>;

// One JSON object on one line, without the newline.
std::string to_json_line(Event const& event);

// An unknown kind or a broken line is an error of kind usage; readers skip and count those.
Result<Event> parse_event(std::string_view line);

// One Case/Measurement or Kernel as measurements.jsonl and kernels.jsonl show it.
std::string measurement_line(Case const& in_case, Measurement const& measurement);
std::string kernel_line(Kernel const& kernel);

}  // namespace zl::results
