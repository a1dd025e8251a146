#include "results/state.h"

#include <gmock/gmock.h>

#include "base/json.h"

namespace zl::results {
namespace {

Case begun(std::string const& id) {
  Case one;
  one.id = id;
  return one;
}

Measured measured(std::string const& case_id, Side side, double value_ns) {
  Measurement m;
  m.case_id = case_id;
  m.side = side;
  m.caliber = "c";
  m.value_ns = value_ns;
  return {"op", m};
}

Kernel kernel(std::string const& hash, Side side, bool launched,
              std::optional<long long> converts) {
  Kernel one;
  one.hash = hash;
  one.side = side;
  one.launched = launched;
  one.convert_layouts = converts;
  return one;
}

TEST(BatchState, FoldsCasesOfTheLatestAttemptOnly) {
  BatchState state;
  state.apply(RunBegun{"op", 1, "", "", "", "", "", "", 0});
  state.apply(CaseBegun{"op", begun("a"), ""});
  state.apply(measured("a", Side::baseline, 10));
  state.apply(RunBegun{"op", 2, "", "", "", "", "", "", 0});
  state.apply(CaseBegun{"op", begun("b"), ""});
  state.apply(measured("b", Side::baseline, 6));
  state.apply(measured("b", Side::candidate, 3));
  state.apply(CaseEnded{"op", "b", CaseStatus::ok, "", "", "{}"});
  OpState const& op = *state.find("op");
  ASSERT_EQ(op.cases.size(), 1u);
  EXPECT_EQ(op.cases[0].speedup(), 2);
  EXPECT_EQ(op.attempts, 2);
  EXPECT_FALSE(op.result);
}

TEST(BatchState, ANewAttemptTakesTheOldResultAway) {
  BatchState state;
  OpResult result;
  result.op = "op";
  state.apply(RunEnded{result});
  EXPECT_TRUE(state.find("op")->result);
  state.apply(RunBegun{"op", 2, "", "", "", "", "", "", 0});
  EXPECT_FALSE(state.find("op")->result);
}

TEST(BatchState, AttemptsThatWereFollowedByAnotherAreRemembered) {
  BatchState state;
  state.apply(RunBegun{"op", 1, "", "", "", "", "", "", 0});
  state.apply(AttemptEnded{"op", 1, Status::crashed, "signal 11", "0", "", {"alone"}});
  EXPECT_FALSE(state.find("op")->result) << "it is no result";
  state.apply(RunBegun{"op", 2, "", "", "", "", "", "", 0});
  ASSERT_EQ(state.find("op")->earlier.size(), 1u);
  EXPECT_EQ(state.find("op")->earlier[0].reason, "signal 11");
  EXPECT_EQ(state.find("op")->attempts, 2);
}

TEST(BatchState, IdentitiesAreMergedLaterFieldsWin) {
  BatchState state;
  state.apply(IdentityKnown{"op", R"({"a":1,"b":1})"});
  state.apply(IdentityKnown{"op", R"({"b":2,"c":{"d":3}})"});
  EXPECT_EQ(*parse_json(state.find("op")->identity_json),
            (Json{{"a", 1}, {"b", 2}, {"c", {{"d", 3}}}}));
}

TEST(BatchState, WordsAboutUnknownCasesAreIgnored) {
  BatchState state;
  state.apply(measured("never", Side::baseline, 10));
  state.apply(CaseEnded{"op", "never", CaseStatus::ok, "", "", ""});
  EXPECT_TRUE(state.find("op")->cases.empty());
}

TEST(Aggregates, AFailedCaseDoesNotCountIntoTheSpeedup) {
  BatchState state;
  for (char const* id : {"a", "b"}) {
    state.apply(CaseBegun{"op", begun(id), ""});
    state.apply(measured(id, Side::baseline, 8));
    state.apply(measured(id, Side::candidate, id[0] == 'a' ? 4 : 1));
  }
  state.apply(CaseEnded{"op", "b", CaseStatus::failed, "check", "wrong result", ""});
  EXPECT_EQ(*mean_speedup(state.find("op")->cases), 2);
  EXPECT_EQ(shapes_with_numbers(state.find("op")->cases), 2);
}

TEST(Aggregates, ANumberThatIsNotOfTheDeviceDoesNotCountIntoTheSpeedup) {
  BatchState state;
  for (char const* id : {"a", "b", "c", "d"}) {
    state.apply(CaseBegun{"op", begun(id), ""});
    for (Side const side : {Side::baseline, Side::candidate}) {
      Measured one = measured(id, side, side == Side::baseline ? 8 : 1);
      one.measurement.flags = {"drift"};
      if (id[0] == 'a' && side == Side::candidate) one.measurement.value_ns = 4;
      if (id[0] == 'b' && side == Side::baseline) one.measurement.flags.push_back("host_only");
      if (id[0] == 'c' && side == Side::candidate) one.measurement.flags.push_back("false_graph");
      if (id[0] != 'd' || side == Side::baseline) state.apply(one);
    }
  }
  EXPECT_EQ(*mean_speedup(state.find("op")->cases), 2);
  EXPECT_EQ(*state.find("op")->cases[1].speedup(), 8);
}

TEST(Aggregates, TimersAreThoseOfTheCalibersTheMostUsedFirst) {
  auto const timers = [](std::vector<std::string> const& calibers) {
    std::vector<Case> cases;
    for (std::string const& caliber : calibers) {
      Measured one = measured("a", Side::candidate, 1);
      one.measurement.caliber = caliber;
      cases.emplace_back().candidate = one.measurement;
    }
    cases.emplace_back();  // without numbers
    return timers_used(cases);
  };
  EXPECT_EQ(timers({}), "");
  EXPECT_EQ(timers({"graph-evt/cold/v1", "graph-outer/cold/v1"}), "graph");
  EXPECT_EQ(timers({"direct-blk/v1", "graph-evt/v1", "graph-evt/v1"}), "graph+direct");
  EXPECT_EQ(timers({"graph-evt/v1", "direct-sync/v1"}), "graph+direct");
  EXPECT_EQ(timers({"upstream-do_bench/mode=kernel"}), "upstream");
  EXPECT_EQ(timers({"host/median"}), "host");
}

TEST(Aggregates, KernelsAreDistinctLaunchedAndTheCandidates) {
  EXPECT_FALSE(count_kernels({}));
  auto const count = count_kernels(
      {kernel("h1", Side::candidate, true, 5), kernel("h1", Side::candidate, true, 5),
       kernel("h2", Side::candidate, true, 2), kernel("h3", Side::candidate, false, 9),
       kernel("h4", Side::baseline, true, 9)});
  ASSERT_TRUE(count);
  EXPECT_EQ(count->kernels, 2);
  EXPECT_EQ(count->convert_layouts, 7);
  EXPECT_FALSE(count_kernels({kernel("h", Side::candidate, true, std::nullopt)})->convert_layouts);
}

}  // namespace
}  // namespace zl::results
