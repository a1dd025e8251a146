// results/: what a run leaves behind: records, events, the log, and what can be folded from it.
// Knows no backend, no process and no terminal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zl::results {

enum class Side { baseline, candidate };
std::string_view to_text(Side side);
std::optional<Side> parse_side(std::string_view text);

// One number of one side of one case.
struct Measurement {
  std::string case_id;
  Side side = Side::candidate;
  std::string caliber;  // exactly how it was taken; never set in a ratio with another caliber
  double value_ns = 0;  // > 0
  std::optional<double> ci_low_ns;  // 95 % interval of the median, where the timer gives one
  std::optional<double> ci_high_ns;
  std::optional<long long> samples;
  std::string raw_json;  // the value as the timer gave it, with its unit; samples where sent
  // Of the timing engine, an object: summary, record (docs/timing-record.md), census; "": not sent.
  std::string timing_json;
  std::string fallback;            // why not the best timer; "": it was
  std::vector<std::string> flags;  // words for what is to be known of the number
  std::optional<double> host_ns;   // what submitting a call costs the host

  // Whether it says how fast the device is: not with a call that gives the device no work, or whose
  // work a graph does not hold.
  bool is_of_device() const;
};

enum class CaseStatus { running, ok, failed, skipped };
std::string_view to_text(CaseStatus status);
std::optional<CaseStatus> parse_case_status(std::string_view text);

// One shape and dtype of one node.
struct Case {
  std::string id;
  std::string node;
  std::string name;
  std::string dtype;
  std::string shape_text;
  CaseStatus status = CaseStatus::running;
  std::string phase;  // of a failure: input, baseline, candidate, metrics, check; "" where unknown
  std::string error;
  std::string metrics_json;  // "{}" or what the child sent
  std::optional<Measurement> baseline;
  std::optional<Measurement> candidate;

  bool has_numbers() const { return baseline || candidate; }
  // baseline / candidate; empty unless both are there and were taken in the same caliber.
  std::optional<double> speedup() const;
};

struct Kernel {
  std::string case_id;
  Side side = Side::candidate;
  std::string name;
  std::string hash;
  bool launched = false;
  std::optional<long long> convert_layouts;
  std::string fields_json;  // all that the child sent of it
};

enum class Status {
  passed,          // every case has numbers
  partial,         // some cases have numbers, some failed
  failed,          // no numbers, a test or a case failed
  skipped,         // the corpus skipped it
  no_numbers,      // ended without an error and measured nothing
  crashed,         // ended by a signal of its own
  timeout,         // ended by us at the time limit
  log_overflow,    // ended by us at the log limit
  protocol_error,  // ended by us: broke the child protocol
  wrong_vendor,    // the corpus did not take the backend that was asked for
  unresolved,      // the operator has no node
  not_started,     // the child could not be started
  interrupted,     // ended by the user
};
std::string_view to_text(Status status);
std::optional<Status> parse_status(std::string_view text);
// Does it make the exit code 1? Everything but passed and skipped does.
bool is_failure(Status status);

// One row of ops_status.csv. An empty text is an empty cell.
struct OpResult {
  std::string op;
  std::string node;  // space-separated when there are several
  Status status = Status::no_numbers;
  std::string reason;
  std::string backend;
  std::string device;  // index, empty when none is pinned
  std::string timer;
  std::string autotune;
  int shapes = 0;              // cases with numbers
  std::optional<int> kernels;  // distinct kernels that the candidate launched; empty: not known
  std::optional<long long> convert_layouts;  // over these kernels; empty: not known
  std::optional<double> speedup;             // geometric mean over cases that have one
  double duration_s = 0;
  int attempts = 1;
  std::string run_dir;  // relative to the batch folder

  std::optional<int> exit_status;  // of the child; empty: ended by a signal, or there was none
  std::optional<int> signal;
  std::string phase;  // that the child was in at its end, where it said one
  std::map<std::string, double> phase_times_s;  // of the child, by phase
  std::string cause;                            // "on-chip F13": what `explain` names; of failures
};

// What a reader is told of a result in one line: the cause in brackets, then the reason.
std::string reason_text(OpResult const& result);

}  // namespace zl::results
