#include "timing/record_json.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "timing/packing.h"
#include "timing/record_form.h"
#include "timing/records.h"

namespace zl::timing {
namespace {

using testing::HasSubstr;

void expect_same_after_a_round_trip(Record const& record) {
  std::string const text = to_json_line(record);
  auto const again = parse_record(text);
  ASSERT_TRUE(again) << text;
  EXPECT_EQ(to_json_line(*again), text);
  EXPECT_EQ(to_json_line(*summarise(*again)), to_json_line(*summarise(record)));
  ASSERT_EQ(again->visits.size(), record.visits.size());
  EXPECT_EQ(again->visits.at(1).temperature_c, record.visits.at(1).temperature_c);
  for (std::size_t v = 0; v < record.visits.size(); ++v) {
    ASSERT_EQ(again->visits[v].bursts.size(), record.visits[v].bursts.size());
    for (std::size_t b = 0; b < record.visits[v].bursts.size(); ++b) {
      EXPECT_EQ(again->visits[v].bursts[b].intervals_ns, record.visits[v].bursts[b].intervals_ns);
      EXPECT_EQ(again->visits[v].bursts[b].rejection, record.visits[v].bursts[b].rejection);
      EXPECT_EQ(again->visits[v].bursts[b].start_ns, record.visits[v].bursts[b].start_ns);
    }
  }
}

TEST(RecordJson, ANormalisedRecordLosesNothing) {
  for (double const tick_ns : {32.0, 31.25, 0.0, 1.0, 500.0}) {
    for (double const value_ns : {300.0, 5'000.0, 40'000.0, 7.7e6, 1.3e9}) {
      for (bool const has_host : {false, true}) {
        Record record = make_record(
            {.value_ns = value_ns, .tick_ns = tick_ns, .has_host = has_host, .seed = 7});
        record.id = "name with \xff and \xc3\xa4";
        record.visits[0].bursts[3].rejection = Rejection::clock;
        record.visits[1].bursts[5].rejection = Rejection::early_release;
        record.visits[1].bursts[6].rejection = Rejection::preempted;
        record.visits[1].bursts[5].intervals_ns.resize(3);
        record.visits[1].is_drifting = true;
        record.visits[1].why = BurstStop::max_wall;
        record.visits[1].is_power_capped = true;
        record.visits[1].temperature_c = 41;
        expect_same_after_a_round_trip(normalised(std::move(record)));
      }
    }
  }
}

TEST(RecordJson, ADiscardedVisitKeepsItsPlaceInTheDither) {
  Record record = make_record({.visits = 3, .seed = 3});
  record.visits[0].is_discarded = true;
  record.visits[2].bursts.clear();
  record.visits[2].why = BurstStop::none;
  expect_same_after_a_round_trip(normalised(std::move(record)));
}

// timing.md A20: at most 1 KB. The figures stand in docs/timing-record.md.
TEST(RecordJson, ThreeHundredSamplesTakeLessThanAKilobyte) {
  auto const bytes = [](RecordPlan const& plan) {
    std::size_t const size = to_json_line(normalised(make_record(plan))).size();
    printf("312 samples of %.0f us, noise %.2f %%, tick %.0f ns: %zu bytes\n", plan.value_ns / 1e3,
           plan.noise * 100, plan.tick_ns, size);
    return size;
  };
  EXPECT_LT(bytes({.value_ns = 5'000}), 1024u);
  EXPECT_LT(bytes({.value_ns = 40'000}), 1024u);
  EXPECT_LT(bytes({.value_ns = 40'000, .has_host = true}), 1024u);
  EXPECT_LT(bytes({.value_ns = 400'000}), 1024u);
  EXPECT_LT(bytes({.value_ns = 4e6}), 1200u);
  EXPECT_LT(bytes({.value_ns = 40'000, .tick_ns = 1}), 1200u);
}

TEST(RecordJson, MoreSamplesThanAnyCapAllowsAreAllKept) {
  Record const record = normalised(make_record({.bursts = 200, .samples = 30}));
  expect_same_after_a_round_trip(record);
  EXPECT_EQ(summarise(*parse_record(to_json_line(record)))->samples, 12'000u);
}

Json good() {
  Record record = normalised(make_record({}));
  record.visits[0].bursts[3].rejection = Rejection::clock;
  return *parse_json(to_json_line(record));
}

TEST(RecordJson, NamesRejectedBurstsByPlace) {
  EXPECT_EQ(good().at("rejected"), (Json{{"clock", {3}}}));
}

TEST(RecordJson, KeepsTheQuantileWhereItIsNotTheMedian) {
  Record record = normalised(make_record({.seed = 4}));
  EXPECT_THAT(to_json_line(record), Not(HasSubstr("quantile")));
  EXPECT_EQ(parse_record(to_json_line(record))->quantile, 0.5);
  double const median_ns = summarise(record)->value_ns;
  record.quantile = 0.05;
  auto const again = parse_record(to_json_line(record));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->quantile, 0.05);
  auto const low = summarise(*again);
  EXPECT_LT(low->value_ns, median_ns);
  EXPECT_EQ(low->median_ns, median_ns);
  EXPECT_LE(low->interval_ns->low, low->value_ns);
  EXPECT_LT(low->interval_ns->high, median_ns);
  std::string text = to_json_line(record);
  text.replace(text.find("0.05"), 4, "1.05");
  EXPECT_FALSE(parse_record(text));
}

TEST(RecordJson, RefusesWhatIsNoRecord) {
  ASSERT_TRUE(parse_record(good().dump()));
  for (char const* const text : {"", "{", "[]", "3", "null", "{\"id\": \"x\", \"visits\": {}}"}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
  std::pair<char const*, Json> const changes[] = {
      {"format", 2},
      {"format", nullptr},
      {"id", 3},
      {"tick_ns", -1},
      {"tick_ns", 1e300},
      {"null_ns", "x"},
      {"null_ns", 1e300},
      {"tau", -0.1},
      {"calls_per_sample", 0},
      {"calls_per_sample", -1},
      {"calls_per_sample", 1.5},
      {"unit_ns", 0},
      {"unit_ns", 7},
      {"visits", 3},
      {"visits", Json::array()},
      {"visits", {{{"stop", "interval"}, {"bursts", 25}}}},
      {"visits", {{{"stop", "interval"}, {"bursts", 27}}}},
      {"visits", {{{"stop", "interval"}, {"bursts", -1}}}},
      {"visits", {{{"stop", "interval"}, {"bursts", 9'000'000'000'000'000'000}}}},
      {"visits", {{{"stop", "why not"}, {"bursts", 26}}}},
      {"visits", {3}},
      {"rejected", 3},
      {"rejected", {{"clock", 3}}},
      {"rejected", {{"clock", {26}}}},
      {"rejected", {{"clock", {-1}}}},
      {"rejected", {{"mood", {1}}}},
      {"data", 3},
      {"data", ""},
      {"data", "*"},
  };
  for (auto const& [field, value] : changes) {
    Json changed = good();
    changed[field] = value;
    EXPECT_FALSE(parse_record(changed.dump())) << field << " " << value;
    changed.erase(field);
    EXPECT_EQ(parse_record(changed.dump()).has_value(), std::string_view(field) == "rejected");
  }
}

TEST(RecordJson, RefusesDataThatIsCutOrGoesOn) {
  Json json = good();
  std::string const data = json.at("data");
  for (std::size_t size = 0; size < data.size(); ++size) {
    json["data"] = data.substr(0, size);
    EXPECT_FALSE(parse_record(json.dump())) << size;
  }
  json["data"] = data + "AAAA";
  EXPECT_FALSE(parse_record(json.dump()));
}

// Sizes whose product wraps round, sums that leave the range, columns of no known kind.
TEST(RecordJson, RefusesNumbersThatCannotBe) {
  std::vector<std::vector<std::uint64_t>> const hostile = {
      {std::uint64_t{1} << 63, 2},
      {std::uint64_t{1} << 32, std::uint64_t{1} << 32},
      {1, std::uint64_t{1} << 60},
      {0, 2, 0, 0, 0},
      {1, 0},
      {1, 2, 2, 0, 0, 2, 2},
      {1, 2, 0, 1, 1, 0, 0, 2, 2},                // a clock below 0
      {1, 2, 0, 0, 0, ~std::uint64_t{0} - 1, 2},  // a sample of 2^63 - 1 ticks
      {1, 2, 0, 0, 0, 2, ~std::uint64_t{0} - 1},
      {1, 2, 1, ~std::uint64_t{0} - 1, ~std::uint64_t{0} - 1, 0, 0, 2, 2},
  };
  auto const text_of = [](std::vector<std::uint64_t> const& numbers) {
    Packer packer;
    for (std::uint64_t const number : numbers) packer.put(number);
    Json json = good();
    json.erase("rejected");
    json["visits"] = {{{"stop", "interval"}, {"bursts", 2}}};
    json["data"] = packer.text();
    return json.dump();
  };
  ASSERT_TRUE(parse_record(text_of({1, 2, 0, 0, 0, 2, 2})));
  for (auto const& numbers : hostile) {
    EXPECT_FALSE(parse_record(text_of(numbers))) << testing::PrintToString(numbers);
  }
}

// Whatever is changed in a text, it is a record that can be summarised, or none.
TEST(RecordJson, AChangedLetterNeverBreaksTheReader) {
  std::string const text = good().dump();
  std::mt19937_64 random(5);
  int records = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    changed[random() % changed.size()] = static_cast<char>(32 + random() % 95);
    if (auto const record = parse_record(changed)) {
      ++records;
      summarise(*record);
    }
  }
  EXPECT_GT(records, 100);
}

TEST(SummaryJson, SaysWhatIsNotKnownByNull) {
  Summary summary;
  summary.median_ns = 10;
  EXPECT_THAT(to_json_line(summary), HasSubstr("\"ci95_ns\":null"));
  EXPECT_THAT(to_json_line(summary), HasSubstr("\"ci95_rep_ns\":null"));
  summary.ci95_relative = 0.004;
  summary.ci95_rep_ns = 0.25;
  summary.visits = 2;
  Json const json = *parse_json(to_json_line(summary));
  EXPECT_EQ(json.at("ci95_relative"), 0.004);
  EXPECT_EQ(json.at("ci95_rep_ns"), 0.25);
  EXPECT_EQ(json.at("visits"), 2);
}

}  // namespace
}  // namespace zl::timing
