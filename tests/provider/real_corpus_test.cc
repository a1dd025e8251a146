// Against a FlagGems checkout and a map of what each id resolves to, where both are at hand.
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "provider/corpus_fixture.h"

namespace zl::provider {
namespace {

using nlohmann::json;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t count_differences(FlagGemsCorpus const& corpus, json const& expected) {
  std::size_t differences = 0;
  for (auto const& [id, entry] : expected.items()) {
    for (NodeKind const kind : {NodeKind::benchmark, NodeKind::tests}) {
      json const& wanted = entry.at(kind == NodeKind::benchmark ? "benchmark" : "tests");
      Resolution const found = corpus.resolve(id, kind);
      bool const is_same =
          found.nodes == wanted.at("nodes").get<std::vector<std::string>>() &&
          found.shared_with_other_id == wanted.at("shared_with_other_id").get<bool>() &&
          found.is_resolved() == !found.nodes.empty();
      if (is_same) continue;
      ++differences;
      ADD_FAILURE() << id << ": " << json(found.nodes).dump() << " by " << found.how
                    << ", expected " << wanted.dump();
    }
  }
  return differences;
}

class RealCorpusTest : public CorpusTest {};

TEST_F(RealCorpusTest, EveryIdResolvesAsTheMapSays) {
  char const* const checkout = std::getenv("ZL_TEST_FLAGGEMS");
  char const* const map_file = std::getenv("ZL_TEST_FLAGGEMS_OPMAP");
  if (!checkout || !map_file) {
    std::cerr << "\n*** LEFT OUT: the resolver was NOT held against FlagGems itself. Set "
                 "ZL_TEST_FLAGGEMS to a checkout and ZL_TEST_FLAGGEMS_OPMAP to its map. ***\n\n";
    GTEST_SKIP() << "ZL_TEST_FLAGGEMS or ZL_TEST_FLAGGEMS_OPMAP is not set";
  }
  Result<std::string> const map = read_file(map_file);
  ASSERT_TRUE(map) << map.error().text;
  json const expected = json::parse(*map);
  root_ = checkout;
  auto const cold_start = std::chrono::steady_clock::now();
  FlagGemsCorpus const cold = open();
  double const cold_s = seconds_since(cold_start);
  EXPECT_GT(cold.indexed_files(), 0u);
  EXPECT_EQ(cold.operators().size(), expected.size());
  EXPECT_EQ(count_differences(cold, expected), 0u);
  auto const warm_start = std::chrono::steady_clock::now();
  FlagGemsCorpus const warm = open();
  std::cerr << "opened in " << cold_s << " s, with the cache in " << seconds_since(warm_start)
            << " s\n";
  EXPECT_EQ(warm.indexed_files(), 0u);
  EXPECT_EQ(count_differences(warm, expected), 0u);
}

}  // namespace
}  // namespace zl::provider
