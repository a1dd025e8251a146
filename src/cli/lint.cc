// lint: findings in a corpus that need no run.
#include "check/lint.h"

#include <fmt/format.h>

#include "base/text.h"
#include "check/lint_output.h"
#include "check/lint_rules.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace zl::cli {

namespace {

// --rule and --exclude take ids or names, several with commas; they come back as ids.
Result<std::vector<std::string>> rule_ids(std::string const& option,
                                          std::vector<std::string> const& words) {
  std::vector<std::string> known;
  for (check::LintRule const& rule : check::lint_rules()) {
    known.emplace_back(rule.id);
    known.emplace_back(rule.name);
  }
  std::vector<std::string> ids;
  for (std::string const& word : words) {
    for (std::string const& part : split(word, ',')) {
      std::string const name = trim(part);
      check::LintRule const* const found = check::find_lint_rule(name);
      if (found == nullptr) {
        return fail(
            ErrorKind::usage,
            fmt::format("{} '{}': no such rule; docs/lint.md and --format sarif list them.{}",
                        option, printable(name, 60), did_you_mean(name, known)));
      }
      ids.emplace_back(found->id);
    }
  }
  return ids;
}

check::Severity severity_of(std::string const& word) {
  if (word == "note") return check::Severity::note;
  return word == "warning" ? check::Severity::warning : check::Severity::error;
}

std::string formatted(check::LintReport const& report, Options const& options) {
  if (options.lint.format == "sarif") return check::to_sarif(report);
  if (options.json || options.lint.format == "json")
    return check::to_json_text(report, options.corpus);
  return check::to_text(report);
}

}  // namespace

Result<int> run_lint(Context const& context) {
  Options const& options = context.options;
  if (options.corpus.empty()) {
    return fail(ErrorKind::usage,
                "lint needs a corpus: zlbench lint CORPUS, or ZL_CORPUS, the root of a FlagGems "
                "checkout");
  }
  Result<std::vector<std::string>> const only = rule_ids("--rule", options.lint.rules);
  if (!only) return tl::unexpected<Error>(only.error());
  Result<std::vector<std::string>> const without = rule_ids("--exclude", options.lint.excluded);
  if (!without) return tl::unexpected<Error>(without.error());
  Result<check::LintReport> report =
      check::lint({options.corpus, options.python, user_cache_folder(context.environment),
                   context.environment});
  if (!report) return tl::unexpected<Error>(report.error());
  check::select(*report, {*only, *without});
  print_notes(report->notes);
  print_out(formatted(*report, options));
  bool const has_failed = check::count_at_least(*report, severity_of(options.lint.fail_on)) > 0;
  return has_failed ? kFindings : kOk;
}

}  // namespace zl::cli
