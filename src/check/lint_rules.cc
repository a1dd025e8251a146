#include "check/lint_rules.h"

#include <algorithm>

namespace zl::check {

namespace {

constexpr LintRule kRules[] = {
    {"FV1", "foreign-vendor-import", "One vendor's code is imported where other vendors get to it.",
     "error"},
    {"DI1", "dead-import", "A module of the package is imported that is not in the corpus.",
     "warning"},
    {"CP1", "capability-as-vendor",
     "A device capability stands for a vendor, and other vendors have the same device name.",
     "warning"},
    {"VL1", "never-true", "A comparison with a vendor or a device that no vendor fulfils.",
     "error"},
    {"SV1", "version-as-text", "A version is compared letter by letter.", "warning"},
    {"SC1", "self-comparison", "The baseline of a benchmark is the FlagGems function itself.",
     "error"},
    {"GK1", "swallowed-keyword", "A benchmark is given a keyword that nobody reads.", "error"},
    {"GS1", "unreached-candidate",
     "A benchmark gives no FlagGems function, and FlagGems registers none for its operator.",
     "warning"},
    {"NR1", "excluded-operator",
     "A vendor takes operators out of the registration on which benchmarks rely.", "note"},
    {"TC1", "missing-tuned-configuration",
     "A kernel asks for tuned configurations that a vendor does not have.", "error"},
    {"IC1", "lost-comma", "Two names in a vendor's list run into one for want of a comma.",
     "error"},
    {"SE1", "import-side-effect", "Importing a test file changes the interpreter for all others.",
     "error"},
    {"DN1", "duplicate-module", "Two test files outside packages have one module name.", "warning"},
    {"MK1", "unmarked-benchmark", "A benchmark has no operator's mark.", "warning"},
    {"OP1", "name-and-mark-differ", "op_name is none of the benchmark's marks.", "note"},
    {"GM1", "global-mode", "A file sets the Config that all tests share, and leaves it so.",
     "warning"},
    {"CU1", "capture-unsafe", "An operator's host code waits for the device.", "note"},
    {"PY1", "unreadable-file", "A file cannot be read as Python.", "error"},
    {"SU1", "useless-suppression", "A suppressing comment without reason, rule or finding.",
     "warning"},
};

}  // namespace

std::span<LintRule const> lint_rules() {
  return kRules;
}

LintRule const* find_lint_rule(std::string_view word) {
  auto const* const found =
      std::find_if(std::begin(kRules), std::end(kRules),
                   [word](LintRule const& rule) { return rule.id == word || rule.name == word; });
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace zl::check
