#include "native/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/parent.h"

namespace zl::native {
namespace {

using testing::ElementsAre;

Case make_case(std::string name, std::string dtype, std::int64_t size) {
  Case item;
  item.name = std::move(name);
  item.dtype = std::move(dtype);
  item.dims = {size};
  return item;
}

std::vector<std::string> selected(Selection const& selection) {
  std::vector<Case> const cases = {make_case("a", "f32", 10), make_case("b", "f32", 1000),
                                   make_case("c", "s8", 500), make_case("d", "s8", 5000)};
  std::vector<std::string> names;
  for (Case const& item : select_cases(cases, selection)) names.push_back(item.name);
  return names;
}

Selection of_dtype(std::string dtype) {
  Selection selection;
  selection.dtypes = {std::move(dtype)};
  return selection;
}

Selection small(double max_elements) {
  Selection selection;
  selection.max_elements = max_elements;
  return selection;
}

TEST(Selection, TakesAllByDefault) {
  EXPECT_THAT(selected({}), ElementsAre("a", "b", "c", "d"));
}

TEST(Selection, ByDtype) {
  EXPECT_THAT(selected(of_dtype("s8")), ElementsAre("c", "d"));
  EXPECT_THAT(selected(of_dtype("f16")), ElementsAre());
}

TEST(Selection, SmallKeepsTheSmallestOfEachDtype) {
  EXPECT_THAT(selected(small(100)), ElementsAre("a", "c"));
  EXPECT_THAT(selected(small(1000)), ElementsAre("a", "b", "c"));
}

Result<Selection> read_plan(std::string const& text) {
  TemporaryFolder const folder;
  std::ofstream(folder.path() / "plan.json") << text;
  return read_selection({{"ZL_PLAN", (folder.path() / "plan.json").string()}});
}

TEST(Selection, ReadsThePlan) {
  auto const plan = read_plan(
      R"({"format": 1, "dtypes": ["Float32", "bfloat16", "s8"], "nodes": ["n"],
          "shapes": {"mode": "small", "max_elements": 64}})");
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->dtypes, ElementsAre("f32", "bf16", "s8"));
  EXPECT_EQ(plan->max_elements, 64);
  EXPECT_EQ(plan->node, "n");
}

TEST(Selection, DtypesMayBeOneText) {
  EXPECT_THAT(read_plan(R"({"format": 1, "dtypes": " int8, f64,,"})")->dtypes,
              ElementsAre("s8", "f64"));
}

TEST(Selection, AbsentAndNullFieldsSelectAll) {
  auto const plan = read_plan(R"({"format": 1, "dtypes": null, "nodes": null, "shapes": null})");
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->dtypes.empty());
  EXPECT_FALSE(plan->max_elements);
  EXPECT_TRUE(read_selection({}));
  EXPECT_FALSE(read_plan(R"({"format": 1, "shapes": {"mode": "upstream"}})")->max_elements);
}

TEST(Selection, ABrokenPlanNamesTheFile) {
  for (char const* const text : {"", "{", "[]", "{}", R"({"format": "1"})", R"({"format": 2})"}) {
    auto const plan = read_plan(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_THAT(plan.error().text, testing::HasSubstr("plan.json")) << text;
  }
  EXPECT_FALSE(read_selection({{"ZL_PLAN", "/nowhere/plan.json"}}));
}

}  // namespace
}  // namespace zl::native
