#include "check/lint_output.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/json.h"
#include "check/lint_rules.h"

namespace zl::check {

namespace {

constexpr int kFormat = 1;

bool contains(std::vector<std::string> const& list, std::string const& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// Messages quote the corpus: nothing of it may steer the terminal.
std::string safe(std::string const& text) {
  constexpr std::size_t kLongest = 2000;
  return printable(to_valid_utf8(text), kLongest);
}

std::string who(LintFinding const& finding, LintReport const& report) {
  if (!finding.vendors) return "";
  if (finding.vendors->empty()) return "no vendor";
  if (finding.vendors->size() == report.vendors.size()) return "every vendor";
  std::vector<std::string> others;
  for (std::string const& vendor : report.vendors) {
    if (!contains(*finding.vendors, vendor)) others.push_back(vendor);
  }
  constexpr std::size_t kFewOthers = 3;
  if (others.size() <= kFewOthers && others.size() < finding.vendors->size())
    return "every vendor but " + join(others, ", ");
  return join(*finding.vendors, ", ");
}

struct Count {
  std::size_t findings = 0;
  std::size_t suppressed = 0;
};

std::map<std::string, Count> count_rules(LintReport const& report) {
  std::map<std::string, Count> counts;
  for (LintFinding const& finding : report.findings) {
    Count& count = counts[finding.rule];
    ++(finding.suppressed ? count.suppressed : count.findings);
  }
  return counts;
}

std::string counted(std::size_t number, std::string const& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string summary(LintReport const& report) {
  std::size_t const all = count_at_least(report, Severity::note);
  std::size_t const warnings = count_at_least(report, Severity::warning);
  std::size_t const errors = count_at_least(report, Severity::error);
  std::string text =
      fmt::format("{} files, {} vendors: {}, {}, {}", report.files, report.vendors.size(),
                  counted(errors, "error"), counted(warnings - errors, "warning"),
                  counted(all - warnings, "note"));
  if (std::size_t const silenced = report.findings.size() - all)
    text += fmt::format(", {} suppressed", silenced);
  return text + "\n";
}

Json finding_json(LintFinding const& finding) {
  Json json{{"rule", finding.rule},       {"level", to_text(finding.severity)},
            {"file", finding.file},       {"line", finding.line},
            {"message", finding.message}, {"fix", finding.fix},
            {"vendors", nullptr},         {"suppressed", nullptr}};
  if (finding.vendors) json["vendors"] = *finding.vendors;
  if (finding.suppressed) json["suppressed"] = *finding.suppressed;
  if (auto const more = parse_json(finding.more_json)) json.update(*more);
  return json;
}

}  // namespace

void select(LintReport& report, LintSelection const& selection) {
  auto const is_left_out = [&](LintFinding const& finding) {
    return (!selection.only.empty() && !contains(selection.only, finding.rule)) ||
           contains(selection.without, finding.rule);
  };
  report.findings.erase(std::remove_if(report.findings.begin(), report.findings.end(), is_left_out),
                        report.findings.end());
}

std::size_t count_at_least(LintReport const& report, Severity severity) {
  return static_cast<std::size_t>(std::count_if(
      report.findings.begin(), report.findings.end(), [severity](LintFinding const& finding) {
        return !finding.suppressed && finding.severity >= severity;
      }));
}

std::string to_text(LintReport const& report) {
  std::string text;
  for (LintFinding const& finding : report.findings) {
    if (finding.suppressed) continue;
    text += fmt::format("{}:{}: {} {}: {}\n", safe(finding.file), finding.line,
                        to_text(finding.severity), finding.rule, safe(finding.message));
    std::string const vendors = who(finding, report);
    if (!vendors.empty()) text += fmt::format("    on: {}\n", safe(vendors));
    text += fmt::format("    fix: {}\n", safe(finding.fix));
  }
  if (!text.empty()) text += "\n";
  std::map<std::string, Count> const counts = count_rules(report);
  for (LintRule const& rule : lint_rules()) {
    auto const found = counts.find(std::string(rule.id));
    if (found == counts.end() || found->second.findings == 0) continue;
    text += fmt::format("{:>5}  {}  {}\n", found->second.findings, rule.id, rule.description);
  }
  return text + summary(report);
}

std::string to_json_text(LintReport const& report, fs::path const& root) {
  Json json{{"format", kFormat},
            {"corpus", root.string()},
            {"files", report.files},
            {"vendors", report.vendors},
            {"from_cache", report.is_from_cache},
            {"notes", report.notes},
            {"findings", Json::array()},
            {"foreign_imports", Json::array()}};
  for (LintFinding const& finding : report.findings)
    json["findings"].push_back(finding_json(finding));
  for (ForeignImport const& site : report.foreign_imports) {
    json["foreign_imports"].push_back({{"file", site.file},
                                       {"line", site.line},
                                       {"module", site.module},
                                       {"vendor", site.vendor},
                                       {"verdict", site.verdict}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace zl::check
