#include "cli/recompute.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "timing/pair.h"
#include "timing/record_form.h"
#include "timing/record_json.h"
#include "timing/records.h"

namespace zl::cli {
namespace {

using results::Measurement;
using results::Side;
using testing::HasSubstr;
using timing::Record;

struct Stored {
  Record baseline = timing::normalised(timing::make_record({.value_ns = 60'000, .seed = 1}));
  Record candidate = timing::normalised(timing::make_record({.has_host = true, .seed = 2}));
  Json metrics = *parse_json(timing::to_json_line(*timing::summarise_pair(baseline, candidate)));
};

// As the child sends it, through the log's own text.
Measurement measurement(Side side, Record const& record) {
  timing::Summary const summary = *timing::summarise(record);
  Measurement m;
  m.case_id = "a";
  m.side = side;
  m.caliber = "graph-evt/v1";
  m.value_ns = summary.value_ns;
  m.ci_low_ns = summary.interval_ns->low;
  m.ci_high_ns = summary.interval_ns->high;
  m.samples = static_cast<long long>(summary.samples);
  m.host_ns = summary.host_ns;
  m.timing_json = to_line({{"summary", *parse_json(timing::to_json_line(summary))},
                           {"record", *parse_json(timing::to_json_line(record))}});
  return m;
}

results::BatchState state_of(std::vector<Measurement> const& measurements, Json const& metrics) {
  results::BatchState state;
  results::Case one;
  one.id = "a";
  std::vector<results::Event> events{results::CaseBegun{"add", one, ""}};
  for (Measurement const& m : measurements) events.push_back(results::Measured{"add", m});
  events.push_back(
      results::CaseEnded{"add", "a", results::CaseStatus::ok, "", "", to_line(metrics)});
  for (results::Event const& event : events) {
    state.apply(*results::parse_event(results::to_json_line(event)));
  }
  return state;
}

TEST(Recompute, EveryNumberComesOutOfTheLogAgain) {
  Stored const stored;
  auto const state = state_of({measurement(Side::baseline, stored.baseline),
                               measurement(Side::candidate, stored.candidate)},
                              stored.metrics);
  Recomputed const result = recompute(state, "");
  EXPECT_EQ(result.first_difference, "");
  EXPECT_EQ(result.records, 2u);
  EXPECT_EQ(result.agreeing, result.numbers);
  // 23 fields of each summary, 4 or 5 that repeat them, 2 of the pair.
  EXPECT_EQ(result.numbers, 2 * 23u + 9 + 2);
  EXPECT_EQ(recompute(state, "other").records, 0u);
  EXPECT_EQ(to_text(result), "57 of 57 numbers of 2 records are the same to the last bit\n");
}

TEST(Recompute, NamesTheFirstNumberThatDiffers) {
  Stored const stored;
  Measurement const good = measurement(Side::baseline, stored.baseline);
  struct Row {
    std::function<void(Measurement*)> spoil;
    char const* what;
  };
  auto const in_summary = [](char const* name, Json const& value) {
    return [=](Measurement* m) {
      Json json = *parse_json(m->timing_json);
      json["summary"][name] = value;
      m->timing_json = to_line(json);
    };
  };
  Row const rows[] = {
      {[](Measurement* m) { m->value_ns = std::nextafter(m->value_ns, 0); },
       "add case a: baseline value_ns is "},
      {[](Measurement* m) { *m->ci_low_ns += 0.01; }, "baseline ci_low_ns is "},
      {[](Measurement* m) { *m->samples += 1; }, "baseline samples is 313, its samples give 312"},
      {[](Measurement* m) { m->host_ns = 5; }, "baseline host_ns is 5.0, its samples give null"},
      {in_summary("p99_ns", 3), "baseline p99_ns is 3, its samples give "},
      {in_summary("p42_ns", 3), "baseline p42_ns is 3, its samples give null"},
      {in_summary("flags", Json::array({"drift"})), "baseline flags is [\"drift\"], its samples"},
      {[](Measurement* m) { m->timing_json = R"({"record":{"format":1}})"; },
       "baseline record is no record that can be summarised"},
  };
  for (Row const& row : rows) {
    Measurement spoilt = good;
    row.spoil(&spoilt);
    Recomputed const result = recompute(state_of({spoilt}, Json::object()), "");
    EXPECT_THAT(result.first_difference, HasSubstr(row.what));
    EXPECT_EQ(result.agreeing + 1, result.numbers) << row.what;
  }
}

TEST(Recompute, ComparesTheIntervalOfTheSpeedup) {
  Stored stored;
  stored.metrics["speedup_high"] = 1.6;
  Recomputed const result = recompute(state_of({measurement(Side::baseline, stored.baseline),
                                                measurement(Side::candidate, stored.candidate)},
                                               stored.metrics),
                                      "");
  EXPECT_THAT(result.first_difference, HasSubstr("add case a: speedup_high is 1.6, its samples"));
}

TEST(Recompute, OtherTimersHaveNoRecord) {
  Measurement m = measurement(Side::baseline, Stored().baseline);
  m.timing_json.clear();
  EXPECT_EQ(recompute(state_of({m}, Json::object()), "").records, 0u);
}

TEST(Recompute, JsonNamesTheDifferenceOnlyWhereThereIsOne) {
  EXPECT_EQ(*parse_json(to_json_text({1, 21, 21, ""})),
            (Json{{"format", 1}, {"records", 1}, {"numbers", 21}, {"agreeing", 21}}));
  EXPECT_THAT(to_json_text({1, 21, 20, "x is 1"}), HasSubstr("\"first_difference\": \"x is 1\""));
}

}  // namespace
}  // namespace zl::cli
