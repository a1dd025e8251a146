#include "check/lint_output.h"

#include <gtest/gtest.h>
#include <set>

#include "base/json.h"
#include "check/lint_rules.h"

namespace zl::check {
namespace {

LintFinding finding(std::string rule, Severity severity, int line = 1) {
  LintFinding one;
  one.rule = std::move(rule);
  one.severity = severity;
  one.file = "tests/test_x.py";
  one.line = line;
  one.message = "what happens";
  one.fix = "what to do";
  return one;
}

LintReport report_of(std::vector<LintFinding> findings) {
  LintReport report;
  report.vendors = {"a", "b", "c", "d", "e", "f"};
  report.findings = std::move(findings);
  return report;
}

TEST(LintOutput, SuppressedFindingsDoNotCountAndAreNotPrinted) {
  LintFinding silent = finding("SV1", Severity::error);
  silent.suppressed = "known";
  LintReport const report = report_of({silent, finding("CU1", Severity::note)});
  EXPECT_EQ(count_at_least(report, Severity::error), 0u);
  EXPECT_EQ(count_at_least(report, Severity::note), 1u);
  std::string const text = to_text(report);
  EXPECT_EQ(text.find("SV1"), std::string::npos);
  EXPECT_NE(text.find("0 errors, 0 warnings, 1 note, 1 suppressed"), std::string::npos) << text;
}

struct WhoCase {
  std::vector<std::string> vendors;
  char const* says;
};

TEST(LintOutput, TheShorterWayToSayWhichVendorsIsTaken) {
  for (WhoCase const& one :
       std::initializer_list<WhoCase>{{{"a", "b"}, "on: a, b\n"},
                                      {{"a", "b", "c"}, "on: a, b, c\n"},
                                      {{"a", "b", "c", "d"}, "on: every vendor but e, f\n"},
                                      {{"a", "b", "c", "d", "e", "f"}, "on: every vendor\n"},
                                      {{}, "on: no vendor\n"}}) {
    LintFinding only = finding("FV1", Severity::error);
    only.vendors = one.vendors;
    EXPECT_NE(to_text(report_of({only})).find(one.says), std::string::npos) << one.says;
  }
  EXPECT_EQ(to_text(report_of({finding("SV1", Severity::error)})).find("on:"), std::string::npos);
}

TEST(LintOutput, ASelectionKeepsWhatIsAskedForAndNotLeftOut) {
  LintReport report = report_of({finding("FV1", Severity::error), finding("SV1", Severity::warning),
                                 finding("CU1", Severity::note)});
  select(report, {{"FV1", "SV1"}, {"SV1"}});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings.front().rule, "FV1");
}

TEST(LintOutput, BytesOfTheCorpusReachNeitherTerminalNorJsonRaw) {
  LintFinding odd = finding("VL1", Severity::error);
  odd.message = "x == '\x1b[2J\xff'";
  LintReport const report = report_of({odd});
  EXPECT_EQ(to_text(report).find('\x1b'), std::string::npos);
  EXPECT_TRUE(parse_json(to_json_text(report, "/corpus")));
  EXPECT_TRUE(parse_json(to_sarif(report)));
}

TEST(LintOutput, JsonCarriesWhatARuleSaysBeside) {
  LintFinding more = finding("GS1", Severity::note);
  more.more_json = R"({"certainty": "inferred"})";
  Json const json = *parse_json(to_json_text(report_of({more}), "/corpus"));
  EXPECT_EQ(json.at("findings").at(0).at("certainty"), "inferred");
  EXPECT_TRUE(json.at("findings").at(0).at("suppressed").is_null());
}

TEST(LintRules, IdsAndNamesAreTold) {
  std::set<std::string_view> words;
  for (LintRule const& rule : lint_rules()) {
    EXPECT_TRUE(words.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(words.insert(rule.name).second) << rule.name;
    EXPECT_EQ(find_lint_rule(rule.id), &rule);
    EXPECT_EQ(find_lint_rule(rule.name), &rule);
  }
  EXPECT_EQ(find_lint_rule("FV2"), nullptr);
}

}  // namespace
}  // namespace zl::check
