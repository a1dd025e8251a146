// The forms in which findings are printed.
#pragma once

#include <string>

#include "check/lint.h"

namespace zl::check {

// Which findings are asked for; empty `only`: all but those left out.
struct LintSelection {
  std::vector<std::string> only;
  std::vector<std::string> without;
};
void select(LintReport& report, LintSelection const& selection);

// Not suppressed, and at least as grave.
std::size_t count_at_least(LintReport const& report, Severity severity);

// For people: every finding with its vendors and its remedy, then a table of the rules.
std::string to_text(LintReport const& report);
std::string to_json_text(LintReport const& report, fs::path const& root);
// SARIF 2.1.0, paths relative to the corpus, suppressed findings marked as such.
std::string to_sarif(LintReport const& report);

}  // namespace zl::check
