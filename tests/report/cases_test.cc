#include "report/cases.h"

#include <gmock/gmock.h>

namespace zl::report {
namespace {

using results::Measurement;
using results::Side;
using testing::ElementsAre;

Measurement measurement(Side side, double value_ns, std::string const& caliber) {
  Measurement m;
  m.case_id = "c";
  m.side = side;
  m.caliber = caliber;
  m.value_ns = value_ns;
  return m;
}

results::BatchState state_of(std::vector<Measurement> const& measurements,
                             std::string const& metrics = "{}") {
  results::BatchState state;
  results::Case one;
  one.id = "c";
  one.name = "abs";
  one.dtype = "float16";
  one.shape_text = "[8]";
  state.apply(results::CaseBegun{"abs", one, ""});
  for (Measurement const& m : measurements) state.apply(results::Measured{"abs", m});
  state.apply(results::CaseEnded{"abs", "c", results::CaseStatus::ok, "", "", metrics});
  return state;
}

std::vector<std::string> headers(Table const& table) {
  std::vector<std::string> names;
  for (auto const& column : table.columns) names.push_back(column.header);
  return names;
}

TEST(Cases, ShowValuesIntervalAndTheFirstError) {
  Measurement m = measurement(Side::candidate, 2000, "x");
  m.ci_low_ns = 1990;
  m.ci_high_ns = 2010;
  results::BatchState state = state_of({m});
  state.apply(results::CaseEnded{"abs", "c", results::CaseStatus::failed, "baseline", "E: t", ""});
  Table const table = case_table(state);
  EXPECT_THAT(table.rows.at(0), ElementsAre("abs", "float16", "[8]", "-", "2.00 us", "-", "0.50 %",
                                            "failed (baseline: E: t)"));
  EXPECT_THAT(headers(table), ElementsAre("operator", "dtype", "shape", "baseline", "candidate",
                                          "speedup", "+-", "status"));
  EXPECT_TRUE(case_table(state, "other").rows.empty());
}

TEST(Cases, ShowWhatTheEngineTells) {
  std::string const caliber = "graph-evt/cold-clean2x/net/burst/v1";
  Measurement baseline = measurement(Side::baseline, 3000, caliber);
  baseline.flags = {"ci_unmet", "tick_limited"};
  Measurement candidate = measurement(Side::candidate, 2000, caliber);
  candidate.flags = {"tick_limited"};
  candidate.timing_json =
      R"({"summary":{"samples":160,"bursts":8,"visits":2,"clock_mhz":1979.6},"record":{}})";
  Table const table =
      case_table(state_of({baseline, candidate}, R"({"speedup_low":1.49,"speedup_high":1.512})"));
  EXPECT_THAT(headers(table), ElementsAre("operator", "dtype", "shape", "baseline", "candidate",
                                          "speedup", "+-", "speedup 95 %", "n (bursts, visits)",
                                          "MHz", "flags", "caliber", "status"));
  EXPECT_THAT(table.rows.at(0), ElementsAre("abs", "float16", "[8]", "3.00 us", "2.00 us", "1.500",
                                            "-", "1.490-1.512", "160 (8, 2)", "1980",
                                            "tick_limited baseline:ci_unmet", caliber, "ok"));
}

// The interval of a ratio that is not shown would stand there alone.
TEST(Cases, TwoCalibersAreBothShownAndNoRatio) {
  Measurement candidate = measurement(Side::candidate, 2000, "direct-blk/v1");
  candidate.timing_json = R"({"summary":{"clock_mhz":null}})";
  Table const table =
      case_table(state_of({measurement(Side::baseline, 3000, "graph-evt/v1"), candidate},
                          R"({"speedup_low":1.49,"speedup_high":1.512})"));
  EXPECT_THAT(table.rows.at(0), ElementsAre("abs", "float16", "[8]", "3.00 us", "2.00 us", "-", "-",
                                            "0 (0, 0)", "graph-evt/v1 | direct-blk/v1", "ok"));
}

}  // namespace
}  // namespace zl::report
