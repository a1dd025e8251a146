#include "report/show.h"

#include <gmock/gmock.h>

#include "base/json.h"

namespace zl::report {
namespace {

using results::OpResult;
using testing::HasSubstr;

OpResult row(std::string const& op, int shapes, std::optional<int> kernels,
             std::optional<long long> converts) {
  OpResult result;
  result.op = op;
  result.status = results::Status::passed;
  result.shapes = shapes;
  result.kernels = kernels;
  result.convert_layouts = converts;
  return result;
}

results::BatchState batch(std::vector<OpResult> const& rows) {
  results::BatchState state;
  for (OpResult const& one : rows) state.apply(results::RunEnded{one});
  return state;
}

TEST(Show, KernelTextSaysOnlyWhatIsKnown) {
  EXPECT_EQ(kernel_text(row("a", 10, 10, 3)), "10 shapes, 10 kernels, cvt 3");
  EXPECT_EQ(kernel_text(row("a", 1, 1, std::nullopt)), "1 shape, 1 kernel");
  EXPECT_EQ(kernel_text(row("a", 2, std::nullopt, std::nullopt)), "2 shapes");
}

TEST(Show, TwoBatchesShowWhatChanged) {
  Table const table = pair_table(batch({row("a", 10, 10, 10), row("gone", 1, 1, 0)}),
                                 batch({row("a", 10, 10, 2), row("new", 1, 1, 0)}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_THAT(table.rows[0],
              testing::ElementsAre("a", "passed", "10 shapes, 10 kernels, cvt 10 -> 2"));
  EXPECT_THAT(table.rows[1], testing::ElementsAre("gone", "passed -> absent", "-"));
  EXPECT_THAT(table.rows[2], testing::ElementsAre("new", "absent -> passed", "-"));
}

TEST(Show, SummaryCountsByStatus) {
  OpResult failed = row("b", 0, {}, {});
  failed.status = results::Status::failed;
  EXPECT_EQ(summary_line(batch({row("a", 1, {}, {}), failed})), "2 operators: 1 failed, 1 passed");
}

TEST(Show, JsonHasWhatWasMeasuredButNotTheSamples) {
  results::BatchState state;
  results::Case one;
  one.id = "c";
  state.apply(results::CaseBegun{"abs", one, ""});
  results::Measurement m;
  m.case_id = "c";
  m.caliber = "x";
  m.value_ns = 2000;
  m.host_ns = 4500;
  m.fallback = "a conditional node";
  m.flags = {"tick_limited"};
  m.timing_json = R"({"summary":{"samples":160},"record":{"data":"AA"},"census":{"kernels":1}})";
  state.apply(results::Measured{"abs", m});
  state.apply(results::CaseEnded{"abs", "c", results::CaseStatus::failed, "baseline", "E: t", ""});
  Json const json = (*parse_json(to_json_text(state, "/b")))["operators"][0]["cases"][0];
  EXPECT_EQ(json["phase"], "baseline");
  EXPECT_EQ(json["candidate"], (Json{{"value_ns", 2000.0},
                                     {"caliber", "x"},
                                     {"host_ns", 4500.0},
                                     {"fallback", "a conditional node"},
                                     {"flags", {"tick_limited"}},
                                     {"summary", {{"samples", 160}}},
                                     {"census", {{"kernels", 1}}}}));
}

TEST(Table, TextAlignsNumbersRightAndCountsCharacters) {
  Table const table{{{"name"}, {"n", true}}, {{"\xc3\xa4", "1"}, {"bbbbb", "22"}}};
  EXPECT_EQ(to_text(table), "name    n\n\xc3\xa4       1\nbbbbb  22\n");
}

TEST(Table, MarkdownAndCsvEscape) {
  Table const table{{{"a"}, {"n", true}}, {{"x|y", "1"}, {"q\"r,s", "2"}}};
  EXPECT_EQ(to_markdown(table), "| a | n |\n|---|---:|\n| x\\|y | 1 |\n| q\"r,s | 2 |\n");
  EXPECT_EQ(to_csv(table), "a,n\r\nx|y,1\r\n\"q\"\"r,s\",2\r\n");
}

TEST(Table, TimesHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(time_text(4.5), "4.50 ns");
  EXPECT_EQ(time_text(999.7), "1.00 us");
  EXPECT_EQ(time_text(12345), "12.3 us");
  EXPECT_EQ(time_text(2.5e9), "2.50 s");
}

TEST(Format, UnknownWordsSayWhatIsAllowed) {
  EXPECT_THAT(parse_format("jsn").error().text,
              HasSubstr("table, json, csv, md. Did you mean 'json'?"));
}

}  // namespace
}  // namespace zl::report
