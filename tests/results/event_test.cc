#include "results/event.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "results/status_csv.h"

namespace zl::results {
namespace {

using testing::HasSubstr;

Measurement measurement(Side side, double value_ns, std::string const& caliber = "c/1") {
  Measurement m;
  m.case_id = "a";
  m.side = side;
  m.caliber = caliber;
  m.value_ns = value_ns;
  return m;
}

// What is written is what is read, for every kind: else a resumed batch would lose something.
TEST(Event, EveryKindSurvivesTheLog) {
  Measurement full = measurement(Side::baseline, 1.25);
  full.ci_low_ns = 1.0;
  full.ci_high_ns = 1.5;
  full.samples = 9;
  full.raw_json = R"({"unit":"ms","value":1})";
  full.timing_json = R"({"record":{"data":"AA"},"summary":{"median_ns":1.25}})";
  full.fallback = "a conditional node";
  full.flags = {"drift", "ci_unmet"};
  full.host_ns = 4500;
  OpResult result;
  result.op = "abs";
  result.node = "f::g";
  result.status = Status::partial;
  result.reason = "why \"quoted\"";
  result.kernels = 3;
  result.convert_layouts = 7;
  result.speedup = 1.5;
  result.attempts = 2;
  Kernel kernel{
      "a",
      Side::candidate,
      "k",
      "h",
      true,
      4,
      R"({"case":"a","name":"k","hash":"h","launched":true,"convert_layouts":4,"side":"candidate"})"};
  Case begun;
  begun.id = "a";
  begun.dtype = "float32";
  begun.shape_text = "[2]";
  Event const events[] = {
      BatchBegun{"b", "zlbench 1", "host", "2026-11-30T00:00:00Z", R"({"x":1})", 3},
      BatchResumed{"2026-11-30T00:00:01Z", 2},
      RunBegun{"abs", 2, "f::g", "native", "cpu", "0", "host", "abs", 77},
      IdentityKnown{"abs", R"({"k":1})"},
      CaseBegun{"abs", begun, "[2]"},
      Measured{"abs", full},
      CaseEnded{"abs", "a", CaseStatus::failed, "input", "E: t", R"({"gbps":2})"},
      KernelSeen{"abs", kernel},
      Noted{"abs", "warning", "CODE", "text"},
      AttemptEnded{"abs", 2, Status::crashed, "signal 11", "0", "a cause", {"alone", "x"}},
      RunEnded{result},
      BatchEnded{"2026-11-30T00:00:02Z", 1, "finished"},
  };
  for (Event const& event : events) {
    std::string const line = to_json_line(event);
    Result<Event> const again = parse_event(line);
    ASSERT_TRUE(again) << line;
    EXPECT_EQ(again->index(), event.index()) << line;
    EXPECT_EQ(to_json_line(*again), line);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(Event, WhatTheEngineToldOfANumberIsInTheLog) {
  Measurement m = measurement(Side::baseline, 1.25);
  m.timing_json = R"({"record":{"data":"AA"}})";
  m.fallback = "why";
  m.flags = {"drift"};
  m.host_ns = 4500;
  auto const again = std::get<Measured>(*parse_event(to_json_line(Measured{"abs", m}))).measurement;
  EXPECT_EQ(again.timing_json, m.timing_json);
  EXPECT_EQ(again.fallback, "why");
  EXPECT_EQ(again.flags, m.flags);
  EXPECT_EQ(again.host_ns, 4500);
  Json const line = *parse_json(measurement_line({}, m));
  EXPECT_EQ(line["timing"]["record"]["data"], "AA");
  EXPECT_EQ(line["flags"], Json::array({"drift"}));
}

TEST(Event, BrokenAndUnknownLinesAreErrors) {
  for (char const* line :
       {"", "{", "[]", R"({"event":"of the future"})", R"({"event":"measured","op":"a"})",
        R"({"event":"run_ended","op":"a","status":"great"})"}) {
    EXPECT_FALSE(parse_event(line)) << line;
  }
}

TEST(Event, ANewerFormatIsRefusedByName) {
  Result<Event> const event = parse_event(R"({"event":"batch_begun","format":2})");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().text, HasSubstr("format 2"));
}

TEST(Event, TextThatIsNotUtf8DoesNotBreakTheLog) {
  std::string const line = to_json_line(Noted{"a", "info", "", "bad \xff byte"});
  EXPECT_TRUE(parse_event(line));
}

TEST(Case, NoSpeedupAcrossCalibers) {
  Case one;
  EXPECT_FALSE(one.speedup());
  one.baseline = measurement(Side::baseline, 30);
  EXPECT_FALSE(one.speedup());
  one.candidate = measurement(Side::candidate, 10);
  EXPECT_EQ(one.speedup(), 3);
  one.candidate->caliber = "c/2";
  EXPECT_FALSE(one.speedup());
}

TEST(StatusRow, HasAsManyCellsAsTheHeaderAndQuotes) {
  OpResult result;
  result.op = "abs";
  result.status = Status::failed;
  result.reason = "a, \"b\"\nc";
  std::string const row = status_row(result);
  EXPECT_THAT(row, HasSubstr("\"a, \"\"b\"\" c\""));
  EXPECT_EQ(row.find('\n'), std::string::npos);
  std::string const plain = status_row(OpResult{});
  EXPECT_EQ(std::count(plain.begin(), plain.end(), ','),
            std::count(kStatusColumns.begin(), kStatusColumns.end(), ','));
}

TEST(StatusRow, UnknownNumbersAreEmptyNotZero) {
  OpResult result;
  EXPECT_THAT(status_row(result), HasSubstr(",0,,,,0.000,1,"));
  result.kernels = 0;
  result.convert_layouts = 0;
  EXPECT_THAT(status_row(result), HasSubstr(",0,0,0,,"));
}

TEST(StatusRow, ACellIsNeverAFormula) {
  OpResult result;
  result.reason = "=1+1";
  EXPECT_THAT(status_row(result), HasSubstr(",'=1+1,"));
}

}  // namespace
}  // namespace zl::results
