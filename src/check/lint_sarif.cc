// SARIF 2.1.0 (OASIS), the part that code hosts show: rules, results with place and level,
// suppressions.
#include <fmt/format.h>
#include <map>

#include "base/host.h"
#include "base/json.h"
#include "check/lint_output.h"
#include "check/lint_rules.h"

namespace zl::check {

namespace {

constexpr char kSchema[] = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr char kRoot[] = "%SRCROOT%";

// A relative reference (RFC 3986): what may not stand in a path is percent-encoded.
std::string to_uri(std::string const& path) {
  std::string uri;
  for (char const c : path) {
    auto const byte = static_cast<unsigned char>(c);
    bool const is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') || c == '/' || c == '-' || c == '_' ||
                          c == '.' || c == '~';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Json rules_json() {
  Json rules = Json::array();
  for (LintRule const& rule : lint_rules()) {
    rules.push_back({{"id", std::string(rule.id)},
                     {"name", std::string(rule.name)},
                     {"shortDescription", {{"text", std::string(rule.description)}}},
                     {"defaultConfiguration", {{"level", std::string(rule.level)}}}});
  }
  return rules;
}

std::size_t rule_index(std::string const& id) {
  LintRule const* const rule = find_lint_rule(id);
  ZL_CHECK(rule != nullptr, "lint() lets no finding of another rule pass");
  return static_cast<std::size_t>(rule - lint_rules().data());
}

Json result_json(LintFinding const& finding, std::size_t occurrence) {
  std::string message = finding.message;
  if (finding.vendors && !finding.vendors->empty())
    message += ". On: " + join(*finding.vendors, ", ");
  message += ". Fix: " + finding.fix;
  // Without the line: a finding stays the same one when text above it moves it.
  std::string const identity = content_hash(
      fmt::format("{}\n{}\n{}\n{}", finding.rule, finding.file, finding.message, occurrence));
  Json result{
      {"ruleId", finding.rule},
      {"ruleIndex", rule_index(finding.rule)},
      {"level", to_text(finding.severity)},
      {"message", {{"text", message}}},
      {"partialFingerprints", {{"zlbench/v1", identity}}},
      {"locations",
       Json::array({{{"physicalLocation",
                      {{"artifactLocation", {{"uri", to_uri(finding.file)}, {"uriBaseId", kRoot}}},
                       {"region", {{"startLine", std::max(finding.line, 1)}}}}}}})}};
  if (finding.vendors) result["properties"] = {{"vendors", *finding.vendors}};
  if (finding.suppressed) {
    result["suppressions"] =
        Json::array({{{"kind", "inSource"}, {"justification", *finding.suppressed}}});
  }
  return result;
}

}  // namespace

std::string to_sarif(LintReport const& report) {
  Json results = Json::array();
  std::map<std::string, std::size_t> occurrences;
  for (LintFinding const& finding : report.findings) {
    std::string const same = finding.rule + "\n" + finding.file + "\n" + finding.message;
    results.push_back(result_json(finding, occurrences[same]++));
  }
  Json notifications = Json::array();
  for (std::string const& note : report.notes)
    notifications.push_back({{"level", "note"}, {"message", {{"text", note}}}});
  std::string const version = own_version();  // "zlbench 0.1.0"
  Json const driver{{"name", "zlbench"},
                    {"version", version.substr(version.rfind(' ') + 1)},
                    {"rules", rules_json()}};
  Json const invocation{{"executionSuccessful", true},
                        {"toolExecutionNotifications", notifications}};
  Json const run{
      {"tool", {{"driver", driver}}},
      {"columnKind", "unicodeCodePoints"},
      {"originalUriBaseIds", {{kRoot, {{"description", {{"text", "the root of the corpus"}}}}}}},
      {"invocations", Json::array({invocation})},
      {"results", results}};
  Json const log{{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace zl::check
