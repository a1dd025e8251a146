#include "provider/native.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"

namespace zl::provider {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

fs::path const kFakes = ZL_FAKE_OPERATORS;

NativeOptions options_for(std::vector<fs::path> libraries) {
  NativeOptions options;
  options.self = ZL_NATIVE_CHILD;
  options.libraries = std::move(libraries);
  options.environment = current_environment();
  return options;
}

std::vector<std::string> names_of(NativeListing const& listing) {
  std::vector<std::string> names;
  for (NativeOperator const& item : listing.operators) names.push_back(item.name);
  return names;
}

TEST(NativeListing, TellsWhatALibraryHolds) {
  auto const listing = list_native(options_for({kFakes / "good.so"}));
  ASSERT_TRUE(listing) << listing.error().text;
  EXPECT_THAT(listing->problems, IsEmpty());
  ASSERT_THAT(names_of(*listing), ElementsAre("copy", "copy.again"));
  NativeOperator const& copy = listing->operators[0];
  EXPECT_EQ(copy.description, "copies a buffer");
  EXPECT_EQ(copy.library, kFakes / "good.so");
  EXPECT_EQ(copy.library_name, "good");
  EXPECT_EQ(copy.library_version, "1.2");
  EXPECT_EQ(copy.cases, 3u);
  EXPECT_THAT(copy.dtypes, ElementsAre("f32", "bf16"));
}

TEST(NativeListing, ABadLibraryCostsOnlyItself) {
  auto options = options_for(
      {"/nowhere/x.so", kFakes / "faulty_table.so", kFakes / "no_entry.so", kFakes / "good.so"});
  options.environment["FAKE_FAULT"] = "version";
  auto const listing = list_native(options);
  ASSERT_TRUE(listing) << listing.error().text;
  EXPECT_THAT(names_of(*listing), ElementsAre("copy", "copy.again"));
  EXPECT_THAT(listing->problems,
              ElementsAre(HasSubstr("/nowhere/x.so"),
                          AllOf(HasSubstr("faulty_table.so"), HasSubstr("ABI version 77"),
                                HasSubstr("this program has 1")),
                          HasSubstr("does not export")));
}

struct BadLoad {
  char const* how;
  char const* problem;
};

class NativeListingOfABadLoad : public testing::TestWithParam<BadLoad> {};

TEST_P(NativeListingOfABadLoad, IsOneLineAndLosesNoOther) {
  auto options = options_for({kFakes / "faulty_table.so", kFakes / "good.so"});
  options.environment["FAKE_LOAD"] = GetParam().how;
  options.limit_s = std::string(GetParam().how) == "hang" ? 1 : 20;
  auto const listing = list_native(options);
  ASSERT_TRUE(listing) << listing.error().text;
  EXPECT_THAT(names_of(*listing), ElementsAre("copy", "copy.again"));
  EXPECT_THAT(listing->problems,
              ElementsAre(AllOf(HasSubstr("faulty_table.so"), HasSubstr(GetParam().problem),
                                testing::Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(Loads, NativeListingOfABadLoad,
                         testing::Values(BadLoad{"crash", "signal 6"},
                                         BadLoad{"hang", "did not finish within 1 s"},
                                         BadLoad{"exit", "printed no list"},
                                         BadLoad{"lie", "cannot be read"}),
                         [](auto const& instance) { return std::string(instance.param.how); });

TEST(NativeListing, WhatALibraryPrintsIsNotTheList) {
  auto options = options_for({kFakes / "faulty_table.so"});
  options.environment["FAKE_LOAD"] = "print";
  auto const listing = list_native(options);
  ASSERT_TRUE(listing);
  EXPECT_THAT(names_of(*listing), ElementsAre("one", "two"));
  EXPECT_THAT(listing->problems, IsEmpty());
}

TEST(NativeListing, TheFirstOfTwoOperatorsOfOneNameCounts) {
  fs::path const folder =
      fs::temp_directory_path() / ("zlbench native " + std::to_string(getpid()));
  ASSERT_TRUE(make_folder(folder));
  fs::copy_file(kFakes / "good.so", folder / "a copy.so");
  auto options = options_for({kFakes / "good.so", kFakes / "good.so"});
  options.folders = {folder, folder / "missing"};
  auto const listing = list_native(options);
  fs::remove_all(folder);
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->operators.size(), 2u);
  EXPECT_EQ(listing->operators[0].library, kFakes / "good.so");
  EXPECT_THAT(listing->problems, ElementsAre(AllOf(HasSubstr("'copy'"), HasSubstr("a copy.so")),
                                             HasSubstr("'copy.again'")));
}

TEST(NativeListing, FoldersAreSearchedByName) {
  auto options = options_for({});
  options.folders = {kFakes};
  options.environment["FAKE_FAULT"] = "version";
  auto const listing = list_native(options);
  ASSERT_TRUE(listing);
  ASSERT_GE(listing->operators.size(), 3u);
  EXPECT_EQ(listing->operators.front().library_name, "faulty_operators");
  EXPECT_EQ(listing->operators.back().name, "copy.again");
}

TEST(NativeListing, NothingToListIsEmptyAndNoError) {
  auto const listing = list_native(options_for({}));
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->operators, IsEmpty());
}

TEST(NativeListing, AMissingProgramIsAnError) {
  auto options = options_for({kFakes / "good.so"});
  options.self = "/nowhere/zlbench";
  auto const listing = list_native(options);
  ASSERT_FALSE(listing);
  EXPECT_THAT(listing.error().text, HasSubstr("/nowhere/zlbench"));
}

TEST(DefaultOperatorFolders, AreBesideTheProgramAndInItsInstallation) {
  EXPECT_THAT(default_operator_folders("/opt/zl/bin/zlbench"),
              ElementsAre("/opt/zl/bin/lib/zlbench/operators", "/opt/zl/lib/zlbench/operators"));
}

}  // namespace
}  // namespace zl::provider
