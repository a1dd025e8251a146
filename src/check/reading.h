#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "check/log_text.h"
#include "check/phases.h"
#include "check/rules.h"

namespace zl::check {

// A line on which a pattern of a rule was found.
struct Hit {
  std::size_t pattern = 0;  // index into RuleBook::patterns()
  std::size_t line = 0;
  std::string text;  // printable
  LineContext context;
  std::size_t repeats = 0;  // how often the same line came again
};

// What one text (a log, the errors that the child reported) says to the rules.
struct Reading {
  std::string name;  // as evidence names it: "run.log"
  bool is_missing = false;
  LogSummary summary;
  LogShape shape;
  std::vector<Hit> hits;         // in the order of the lines
  double largest_ask_bytes = 0;  // of the allocations that failed
};

// Feeds lines to the rules; equal lines are looked at once and counted.
class Reader {
 public:
  Reader(RuleBook const& book, std::string name);

  void take(LogLine const& line);
  // A line whose meaning is known without its surroundings.
  void take(LogLine const& line, LineContext const& context);
  // A failure that is known without a log; answers its index.
  int add_failure(Failure failure);
  Reading finish(LogSummary summary);

 private:
  // A line that is new; several are held against the rules at once.
  struct Waiting {
    LineContext context;
    std::size_t number;
    std::size_t begin;  // in block_
    std::size_t size;
    std::uint64_t hash;
    std::size_t repeats;
  };
  void look_at_block();
  void match(Waiting const& line, std::string_view text);
  void count_repeat(std::uint64_t hash);

  RuleBook const& book_;
  Reading reading_;
  PhaseTracker tracker_;
  std::vector<std::uint64_t> seen_;  // hashes of lines, one slot each
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> hits_of_;  // by hash of the line
  std::vector<std::uint8_t> taken_;  // hits of a pattern in a role, up to a limit
  std::string block_;
  std::size_t block_limit_ = 1024;
  std::vector<Waiting> waiting_;
  std::vector<int> found_;
  std::vector<Failure> known_failures_;
};

// A log file. One that is not there is a reading without lines, not an error.
Result<Reading> read_log_file(RuleBook const& book, std::filesystem::path const& path,
                              std::string name);
Reading read_text(RuleBook const& book, std::string_view text, std::string name);

}  // namespace zl::check
