#include "run/protocol.h"

#include <gmock/gmock.h>

namespace zl::run {
namespace {

TEST(Protocol, BrokenLinesSayWhatIsWrong) {
  struct Row {
    char const* line;
    char const* error;
  };
  Row const rows[] = {
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {"{\"a\":1}", "an object without a type"},
      {"{\"type\":3}", "an object without a type"},
      {"{\"type\":\"hello\"}", "hello without a protocol number"},
      {"{\"type\":\"hello\",\"protocol\":\"1\"}", "hello without a protocol number"},
      {"{\"type\":\"case_begin\"}", "case_begin without a case"},
      {R"({"type":"measurement","case":"a","side":"x","value_ns":1,"caliber":"c"})",
       "measurement of an unknown side"},
      {R"({"type":"measurement","case":"a","side":"baseline","value_ns":0,"caliber":"c"})",
       "measurement without a value_ns above 0"},
      {R"({"type":"measurement","case":"a","side":"baseline","value_ns":"5","caliber":"c"})",
       "measurement without a value_ns above 0"},
      {R"({"type":"measurement","case":"a","side":"baseline","value_ns":1e999,"caliber":"c"})",
       "not a JSON object"},
      {R"({"type":"measurement","case":"a","side":"baseline","value_ns":1})",
       "measurement without a caliber"},
      {R"({"type":"case_end","case":"a","status":"splendid"})", "case_end with an unknown status"},
      {R"({"type":"case_end","case":"a","status":"running"})", "case_end with an unknown status"},
      {R"({"type":"kernel","case":"a"})", "kernel of an unknown side"},
  };
  for (Row const& row : rows) {
    Result<Message> const message = parse_message(row.line);
    ASSERT_FALSE(message) << row.line;
    EXPECT_EQ(message.error().text, row.error) << row.line;
  }
}

TEST(Protocol, AnUnknownTypeIsSkippedAndNoError) {
  Result<Message> const message = parse_message(R"({"type":"from the future","x":1})");
  ASSERT_TRUE(message);
  EXPECT_TRUE(std::holds_alternative<UnknownType>(*message));
}

TEST(Protocol, AMeasurementKeepsItsIntervalSamplesAndRawValue) {
  Result<Message> const message = parse_message(
      R"({"type":"measurement","case":"a","side":"candidate","caliber":"c/1","value_ns":12.5,"ci_low_ns":12,)"
      R"("ci_high_ns":13,"samples":3,"samples_ns":[12,12.5,13],"raw":{"value":0.0125,"unit":"us"}})");
  ASSERT_TRUE(message);
  auto const& m = std::get<results::Measurement>(*message);
  EXPECT_EQ(m.side, results::Side::candidate);
  EXPECT_EQ(m.value_ns, 12.5);
  EXPECT_EQ(m.ci_low_ns, 12);
  EXPECT_EQ(m.ci_high_ns, 13);
  EXPECT_EQ(m.samples, 3);
  EXPECT_EQ(m.raw_json, R"({"samples_ns":[12,12.5,13],"unit":"us","value":0.0125})");
}

TEST(Protocol, AMeasurementKeepsWhatTheEngineTold) {
  Result<Message> const message = parse_message(
      R"({"type":"measurement","case":"a","side":"candidate","caliber":"c/1","value_ns":12.5,)"
      R"("host_ns":4500,"flags":["drift",3,"ci_unmet"],"fallback":"why","timing":{"record":{"data":"AA"}}})");
  ASSERT_TRUE(message);
  auto const& m = std::get<results::Measurement>(*message);
  EXPECT_EQ(m.host_ns, 4500);
  EXPECT_THAT(m.flags, testing::ElementsAre("drift", "ci_unmet"));
  EXPECT_EQ(m.fallback, "why");
  EXPECT_EQ(m.timing_json, R"({"record":{"data":"AA"}})");
  Result<Message> const odd = parse_message(
      R"({"type":"measurement","case":"a","side":"candidate","caliber":"c/1","value_ns":12.5,)"
      R"("flags":"drift","timing":[1],"fallback":3,"host_ns":"x"})");
  ASSERT_TRUE(odd);
  EXPECT_TRUE(std::get<results::Measurement>(*odd).flags.empty());
  EXPECT_EQ(std::get<results::Measurement>(*odd).timing_json, "");
  EXPECT_EQ(std::get<results::Measurement>(*odd).fallback, "");
  EXPECT_FALSE(std::get<results::Measurement>(*odd).host_ns);
}

TEST(LineSplitter, LinesArriveWholeHoweverTheBytesAreCut) {
  std::string const stream = "one\ntwo\n\nthree\n";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    LineSplitter splitter;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      for (auto const& line : splitter.feed(std::string_view(stream).substr(at, step)))
        lines.push_back(line.text);
    }
    EXPECT_THAT(lines, testing::ElementsAre("one", "two", "", "three")) << step;
    EXPECT_FALSE(splitter.has_rest());
  }
}

TEST(LineSplitter, ALineThatIsTooLongIsDroppedAndTheNextOneIsNot) {
  LineSplitter splitter;
  EXPECT_TRUE(splitter.feed(std::string(kMaxLineBytes, 'x')).empty());
  EXPECT_TRUE(splitter.feed("xx").empty());
  EXPECT_TRUE(splitter.has_rest());
  auto const lines = splitter.feed("x\nnext\nrest");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].is_too_long);
  EXPECT_EQ(lines[1].text, "next");
  EXPECT_TRUE(splitter.has_rest());
}

}  // namespace
}  // namespace zl::run
