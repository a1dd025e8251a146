#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/log_text.h"

namespace zl::check {

// Where in a run a line was written, in the order of a run.
enum class Phase { import, collection, setup, test, teardown, summary };
std::string_view to_text(Phase phase);

// What a line is. Only `exception` and `plain` lines say what went wrong.
enum class Role {
  plain,
  exception,  // of a traceback: the exception itself
  frame,      // of a traceback: a place, or a line of source
  warning,    // went on after it
  quoted,     // a summary that repeats what stands above
};

struct LineContext {
  Phase phase = Phase::import;
  Role role = Role::plain;
  int failure = -1;  // index into LogShape::failures; -1: outside of every one
  int link = 0;      // which exception of a chained traceback, 0 the first
};

struct Exception {
  std::size_t line = 0;
  std::string text;
  std::string place;  // the last frame before it, as printed
};

// The title of the failure that stops every test: the corpus' conftest cannot be imported.
inline constexpr std::string_view kConftestTitle = "conftest";

// One traceback, or one block of pytest's ERRORS and FAILURES.
struct Failure {
  Phase phase = Phase::test;
  bool is_block = false;  // of pytest's sections; else a bare traceback
  std::string title;      // of the block
  std::size_t line = 0;
  std::vector<Exception> chain;           // the first is the cause
  std::string side;                       // input, baseline, candidate, metrics; "": not seen
  std::set<std::string> vendor_packages;  // <v> of frames below backend/_<v>/
  bool has_corpus_frame = false;          // a frame of the corpus' own package
};

// The outline of one log. At most kMostFailures failures are described, all are counted.
struct LogShape {
  static constexpr std::size_t kMostFailures = 64;

  bool has_session = false;  // pytest's header was there
  bool hides_tracebacks = false;
  std::size_t failures_seen = 0;
  std::vector<Failure> failures;
  std::optional<Exception> first_skip;  // "SKIPPED [1] file:line: reason"

  // The failure that counts: pytest's first block that shows an exception, else the first
  // traceback.
  int first_failure() const;
};

// Follows one log line by line.
class PhaseTracker {
 public:
  LineContext feed(LogLine const& line);
  LogShape finish();

 private:
  enum class Section { none, errors, failures, warnings, summary };

  LineContext in_section(LogLine const& line);
  LineContext in_block(LogLine const& line);
  LineContext in_traceback(LogLine const& line);
  bool is_boundary(LogLine const& line);
  void open_section(std::string_view title);
  void open_failure(LogLine const& line, std::string title, bool is_block);
  Failure* current();
  void add_exception(LogLine const& line);
  void note_frame(std::string_view text);
  LineContext context(Role role) const;

  LogShape shape_;
  Section section_ = Section::none;
  Phase phase_ = Phase::import;
  bool in_traceback_ = false;
  bool in_captured_ = false;
  bool chain_goes_on_ = false;
  int failure_ = -1;
  int link_ = 0;
  std::string last_frame_;
  std::string prefix_;  // of every line of the open traceback
  bool has_summary_of_failures_ = false;
};

}  // namespace zl::check
