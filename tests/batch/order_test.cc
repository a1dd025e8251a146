#include "batch/order.h"

#include <gmock/gmock.h>
#include <set>

#include "batch/batch_folder.h"
#include "results/status_csv.h"
#include "temp_folder.h"

namespace zl::batch {
namespace {

using provider::ProviderCase;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<ProviderCase> operations(
    std::vector<std::pair<std::string, std::size_t>> const& names) {
  std::vector<ProviderCase> made;
  for (auto const& [name, nodes] : names) {
    ProviderCase one;
    one.op = name;
    one.nodes.resize(nodes);
    made.push_back(one);
  }
  return made;
}

std::vector<std::string> names_of(std::vector<ProviderCase> const& operations) {
  std::vector<std::string> names;
  for (ProviderCase const& one : operations) names.push_back(one.op);
  return names;
}

TEST(ShardTest, ShardsShareNothingAndMissNothing) {
  std::vector<ProviderCase> all;
  for (int i = 0; i < 23; ++i) all.push_back(operations({{std::to_string(i), 1}})[0]);
  for (int n : {1, 2, 4, 23}) {
    std::multiset<std::string> seen;
    for (int i = 1; i <= n; ++i) {
      for (ProviderCase const& one : of_shard(all, {i, n})) seen.insert(one.op);
    }
    EXPECT_EQ(seen.size(), 23u) << n;
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 23u) << n;
  }
  EXPECT_TRUE(of_shard(all, {24, 24}).empty());
}

TEST(ShardTest, WhatIsNoShardIsRefused) {
  EXPECT_EQ(parse_shard("2/4")->of, 4);
  for (char const* text : {"", "3", "0/4", "5/4", "1/0", "-1/2", "1/2/3", "a/b", "1/999999999"}) {
    Result<Shard> const shard = parse_shard(text);
    ASSERT_FALSE(shard) << text;
    EXPECT_EQ(shard.error().kind, ErrorKind::usage);
    EXPECT_THAT(shard.error().text, HasSubstr("as 2/4"));
  }
}

TEST(OrderTest, TheLongOnesComeFirst) {
  auto const sorted = longest_first(operations({{"a", 1}, {"b", 1}, {"c", 1}}),
                                    {{"a", 1.0}, {"b", 9.0}, {"c", 3.0}});
  EXPECT_THAT(names_of(sorted), ElementsAre("b", "c", "a"));
}

TEST(OrderTest, WhatIsNotKnownIsTakenForAnAverageNodeEach) {
  // Known are 4 s a node: `new` of three nodes comes before 10 s, `lone` after it.
  auto const sorted =
      longest_first(operations({{"lone", 1}, {"new", 3}, {"old", 2}, {"older", 1}, {"none", 0}}),
                    {{"old", 10.0}, {"older", 2.0}});
  EXPECT_THAT(names_of(sorted), ElementsAre("new", "old", "lone", "older", "none"));
  EXPECT_THAT(names_of(longest_first(operations({{"x", 1}, {"y", 2}, {"z", 1}}), {})),
              ElementsAre("y", "x", "z"));
}

TEST(OrderTest, DurationsAreThoseOfTheNewestBatchOfThisBackend) {
  TempFolder const runs;
  auto const add_batch = [&](std::string const& name, std::string const& backend,
                             std::string const& op, double duration_s) {
    results::OpResult result;
    result.op = op;
    result.backend = backend;
    result.duration_s = duration_s;
    result.reason = "a \"quoted\", reason";
    EXPECT_TRUE(make_folder(runs / name));
    EXPECT_TRUE(write_file_atomic(runs.path() / name / "batch.json", "{}"));
    EXPECT_TRUE(write_file_atomic(runs.path() / name / "ops_status.csv",
                                  std::string(results::kStatusColumns) + "\n" +
                                      results::status_row(result) + "\nhalf,a row"));
  };
  add_batch("20260101-000000-one-1", "one", "abs", 5);
  add_batch("20260102-000000-one-2", "one", "abs", 7);
  add_batch("20260103-000000-two-1", "two", "abs", 100);
  add_batch("20260101-000000-one-0", "one", "exp", 3);
  EXPECT_TRUE(make_folder(runs / "no batch"));
  EXPECT_EQ(known_durations(runs.path(), "one"),
            (std::map<std::string, double>{{"abs", 7}, {"exp", 3}}));
  EXPECT_TRUE(known_durations(runs / "nowhere", "one").empty());
}

}  // namespace
}  // namespace zl::batch
