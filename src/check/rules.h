#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "check/classes.h"
#include "check/facts.h"

namespace zl::check {

// A signature of a cause (docs/explain.md). Either of texts, with facts beside, or of facts alone.
struct Rule {
  std::string id;
  Class const* in_class = nullptr;
  std::vector<std::string> match;   // RE2; any of them is the evidence. Empty: facts alone
  std::vector<std::string> also;    // each must be on some line as well
  std::vector<std::string> unless;  // none may be on any line
  std::vector<Condition> needs;     // each must be known to hold
  std::vector<Condition> fits;      // each must hold where it is known
  bool native = false;              // a lower layer's words: they outrank an exception of that time
  bool sticky = false;              // everything after it in the process is collateral
  bool on_frames = false;           // its texts may stand in frames and source lines too
  bool on_warnings = false;         // ... in warnings and in what a summary repeats
  bool last_resort = false;         // only where no other explanation is left
  bool ends_chain = false;          // must be the last exception of its chain
  std::string verdict;
  std::string remedy;
  std::vector<std::string> sources;
  std::vector<std::string> examples;  // it explains them; a first line "@ fact=value" gives facts
  std::vector<std::string> near_misses;  // it does not explain them
  std::string origin;                    // file:line
  std::size_t literal_bytes = 0;  // of its longest pattern without operators: how specific it is
};

enum class PatternUse { match, also, unless };

// All rules, and one automaton over all of their patterns: a line is read once however many there
// are.
class RuleBook {
 public:
  // The built-in rules, then those of every folder in order: a rule with a known id replaces it.
  // Errors are of kind usage and read "file:line: ...".
  static Result<RuleBook> load(std::vector<fs::path> const& folders);

  struct Pattern {
    std::size_t rule;
    PatternUse use;
    std::size_t index;  // within the rule's list
  };

  std::vector<Rule> const& rules() const { return rules_; }
  Rule const* find(std::string_view id) const;
  std::vector<Pattern> const& patterns() const { return patterns_; }
  // Does any pattern match on any of these lines? Far cheaper than to ask which.
  bool matches_any(std::string_view lines) const;
  // The patterns that match somewhere in the line, by index.
  void match(std::string_view line, std::vector<int>& found) const;

  RuleBook(RuleBook&&) noexcept;
  RuleBook& operator=(RuleBook&&) noexcept;
  ~RuleBook();

 private:
  struct Automaton;
  RuleBook();
  Result<void> add(std::vector<Rule> rules);
  Result<void> compile();

  std::vector<Rule> rules_;
  std::vector<Pattern> patterns_;
  std::unique_ptr<Automaton> automaton_;
};

// One file of rules. Pure.
Result<std::vector<Rule>> parse_rules(std::string_view text, std::string const& origin);

}  // namespace zl::check
