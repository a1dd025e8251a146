#include "results/identity.h"

#include <fstream>
#include <gmock/gmock.h>

#include "base/json.h"
#include "temp_folder.h"

namespace zl::results {
namespace {

using testing::HasSubstr;

Json record() {
  return *parse_json(R"({
    "format": 1, "zlbench": "zlbench 0.1.0", "operator": "abs", "backend": "b", "vendor": "v", "level": "core",
    "timer": "upstream", "calibers": ["c1"], "shapes": {"mode": "upstream"}, "corpus_arguments": [],
    "device": {"uuid": "U-1", "name": "N", "index": 0, "memory_free_bytes": 7}, "identity_cost_ms": 0.1,
    "host": {"name": "h", "processor": "p"}, "unknown": {"x": "why"},
    "child": {"torch_version": "2.11.0", "triton_version": "3.6.0", "corpus_commit": "aa", "autotune": "warm",
              "autotune_hash": "h1", "driver": "1.0", "torch_runtimes": {"r": "13.0"}, "unknown": {"y": "why"},
              "env": {"TRITON_CACHE_DIR": "/a", "TRITON_DEBUG": "1"}, "python_version": "3.12.3",
              "caches": [{"name": "TRITON_CACHE_DIR", "path": "/a", "file_system": "ext4", "free_bytes": 1}]}})");
}

std::vector<IdentityDifference> diff(Json const& a, Json const& b) {
  auto const result = diff_identities(a.dump(), b.dump());
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result.value_or(std::vector<IdentityDifference>{});
}

TEST(IdentityDiff, ARecordIsComparableWithItself) {
  EXPECT_TRUE(diff(record(), record()).empty());
}

struct OneField {
  char const* pointer;
  char const* value;
  char const* field;
  Effect effect;
};

class IdentityDiffOf : public testing::TestWithParam<OneField> {};

TEST_P(IdentityDiffOf, OneFieldHasItsEffect) {
  Json changed = record();
  changed[Json::json_pointer(GetParam().pointer)] = *parse_json(GetParam().value);
  auto const differences = diff(record(), changed);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].field, GetParam().field);
  EXPECT_EQ(differences[0].effect, GetParam().effect);
  EXPECT_EQ(differences[0].reason.empty(), GetParam().effect != Effect::breaks);
  EXPECT_EQ(differences[0].b, parse_json(GetParam().value)->dump());
}

INSTANTIATE_TEST_SUITE_P(
    Table, IdentityDiffOf,
    testing::Values(
        OneField{"/backend", "\"x\"", "backend", Effect::breaks},
        OneField{"/vendor", "\"x\"", "vendor", Effect::breaks},
        OneField{"/device/uuid", "\"U-2\"", "device.uuid", Effect::breaks},
        OneField{"/device/name", "\"M\"", "device.name", Effect::breaks},
        OneField{"/timer", "\"graph\"", "timer", Effect::breaks},
        OneField{"/calibers", "[\"c2\"]", "calibers", Effect::breaks},
        OneField{"/level", "\"comprehensive\"", "level", Effect::breaks},
        OneField{"/shapes/mode", "\"small\"", "shapes.mode", Effect::breaks},
        OneField{"/corpus_arguments", "[\"-x\"]", "corpus_arguments", Effect::breaks},
        OneField{"/zlbench", "\"zlbench 9\"", "zlbench", Effect::breaks},
        OneField{"/child/autotune", "\"off\"", "child.autotune", Effect::breaks},
        OneField{"/child/autotune_hash", "\"h2\"", "child.autotune_hash", Effect::breaks},
        OneField{"/child/torch_version", "\"2.12.0\"", "child.torch_version", Effect::breaks},
        OneField{"/child/torch_runtimes/r", "\"14\"", "child.torch_runtimes.r", Effect::breaks},
        OneField{"/child/triton_version", "\"3.7.0\"", "child.triton_version", Effect::breaks},
        OneField{"/child/corpus_commit", "\"bb\"", "child.corpus_commit", Effect::breaks},
        OneField{"/child/driver", "\"2.0\"", "child.driver", Effect::breaks},
        OneField{"/host/name", "\"i\"", "host.name", Effect::other},
        OneField{"/device/index", "1", "device.index", Effect::other},
        OneField{"/child/python_version", "\"3.13.0\"", "child.python_version", Effect::other},
        OneField{"/child/env/TRITON_DEBUG", "\"0\"", "child.env.TRITON_DEBUG", Effect::other},
        OneField{"/child/caches/0/file_system", "\"nfs\"",
                 "child.caches.TRITON_CACHE_DIR.file_system", Effect::other},
        OneField{"/child/caches/0/free_bytes", "2", "child.caches.TRITON_CACHE_DIR.free_bytes",
                 Effect::every_run},
        OneField{"/child/env/TRITON_CACHE_DIR", "\"/b\"", "child.env.TRITON_CACHE_DIR",
                 Effect::every_run},
        OneField{"/device/memory_free_bytes", "8", "device.memory_free_bytes", Effect::every_run},
        OneField{"/identity_cost_ms", "0.2", "identity_cost_ms", Effect::every_run}));

TEST(IdentityDiff, WhatBreaksComparabilityComesFirstInTheOrderOfItsTable) {
  Json changed = record();
  changed["child"]["triton_version"] = "3.7.0";
  changed["child"]["python_version"] = "3.13.0";
  changed["backend"] = "x";
  changed["identity_cost_ms"] = 9;
  changed["zlbench"] = "zlbench 9";
  std::vector<std::string> fields;
  for (IdentityDifference const& one : diff(record(), changed)) fields.push_back(one.field);
  EXPECT_THAT(fields, testing::ElementsAre("backend", "child.triton_version", "zlbench",
                                           "child.python_version", "identity_cost_ms"));
}

TEST(IdentityDiff, WhatOneSideDoesNotKnowIsNotTheSame) {
  Json null_there = record();
  null_there["child"]["driver"] = nullptr;
  Json absent_there = record();
  absent_there["child"].erase("driver");
  auto const null_differs = diff(record(), null_there);
  ASSERT_EQ(null_differs.size(), 1u);
  EXPECT_EQ(null_differs[0].b, "null");
  EXPECT_THAT(null_differs[0].reason, HasSubstr("one side does not know it"));
  auto const absent_differs = diff(absent_there, record());
  ASSERT_EQ(absent_differs.size(), 1u);
  EXPECT_EQ(absent_differs[0].a, "absent");
  EXPECT_TRUE(diff(null_there, absent_there).empty()) << "neither knows it";
}

TEST(IdentityDiff, ReasonsOfTheUnknownAreNoFields) {
  Json changed = record();
  changed["unknown"]["x"] = "another why";
  changed["child"]["unknown"] = Json::object();
  EXPECT_TRUE(diff(record(), changed).empty());
}

TEST(IdentityDiff, WhatIsNoRecordIsNamed) {
  auto const second = diff_identities(record().dump(), "[1]");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::usage);
  EXPECT_THAT(second.error().text, HasSubstr("second"));
  EXPECT_FALSE(diff_identities("half {", record().dump()));
}

class IdentityFile : public testing::Test {
 protected:
  void add_run(char const* name) {
    std::filesystem::create_directories(folder_.path() / name);
    std::ofstream(folder_.path() / name / "run_identity.json") << "{}";
  }
  TempFolder folder_;
};

TEST_F(IdentityFile, IsFoundFromItselfItsRunAndABatchOfOneRun) {
  add_run("abs");
  auto const expected = folder_.path() / "abs" / "run_identity.json";
  EXPECT_EQ(*find_identity_file(expected), expected);
  EXPECT_EQ(*find_identity_file(folder_.path() / "abs"), expected);
  EXPECT_EQ(*find_identity_file(folder_.path()), expected);
}

TEST_F(IdentityFile, OfSeveralRunsOneMustBeNamed) {
  add_run("abs");
  add_run("add");
  auto const found = find_identity_file(folder_.path());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::usage);
  EXPECT_THAT(found.error().text, HasSubstr("2 runs"));
  EXPECT_THAT(found.error().text, HasSubstr("abs, add"));
}

TEST_F(IdentityFile, AFolderWithoutRunsAndAWrongPathAreNamed) {
  EXPECT_THAT(find_identity_file(folder_.path()).error().text,
              HasSubstr("neither a run folder nor a batch folder"));
  EXPECT_THAT(find_identity_file(folder_.path() / "nowhere").error().text,
              HasSubstr("no such file or folder"));
}

}  // namespace
}  // namespace zl::results
