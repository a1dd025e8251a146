// The table of rules: what --rule takes, what SARIF and docs/lint.md describe.
#pragma once

#include <span>
#include <string_view>

namespace zl::check {

struct LintRule {
  std::string_view id;
  std::string_view name;
  std::string_view description;  // one sentence
  std::string_view level;        // the worst it reports: error, warning, note
};

std::span<LintRule const> lint_rules();
// By id or by name; null when there is none.
LintRule const* find_lint_rule(std::string_view word);

}  // namespace zl::check
