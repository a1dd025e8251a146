#include "native/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace zl::native {
namespace {

using testing::HasSubstr;

std::string const kFakes = ZL_FAKE_OPERATORS;

struct Fault {
  char const* name;
  std::vector<std::string> says;
};

class FaultyTable : public testing::TestWithParam<Fault> {};

TEST_P(FaultyTable, IsRefusedWithPathAndReason) {
  ::setenv("FAKE_FAULT", GetParam().name, 1);
  auto const library = Library::load(kFakes + "/faulty_table.so");
  ::unsetenv("FAKE_FAULT");
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().text, HasSubstr("faulty_table.so"));
  for (std::string const& part : GetParam().says) {
    EXPECT_THAT(library.error().text, HasSubstr(part));
  }
  EXPECT_THAT(library.error().text, testing::Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultyTable,
    testing::Values(
        Fault{"version", {"ABI version 77", "this program has 1"}},
        Fault{"struct_size", {"struct_size is 8"}}, Fault{"operator_size", {"operator_size is 3"}},
        Fault{"case_size", {"case_size is 1073741824"}}, Fault{"table_null", {"returned null"}},
        Fault{"name_null", {"the library has no name"}}, Fault{"version_null", {"no version"}},
        Fault{"operators_null", {"no operators (null)"}},
        Fault{"operator_count", {"operator_count is 4000000000"}},
        Fault{"operator_name", {"operator 1", "'..'", "A-Z a-z 0-9 _ . -"}},
        Fault{"operator_name_empty", {"operator 1", "''"}},
        Fault{"operator_duplicate", {"two operators named 'one'"}},
        Fault{"create", {"operator 'two' has no create function"}},
        Fault{"baseline", {"operator 'two' has no baseline function"}},
        Fault{"candidate", {"operator 'two' has no candidate function"}},
        Fault{"check", {"operator 'two' has no check function"}},
        Fault{"destroy", {"operator 'two' has no destroy function"}},
        Fault{"cases_null", {"operator 'two' has no cases"}},
        Fault{"no_cases", {"operator 'two': case_count is 0"}},
        Fault{"case_name", {"operator 'one', case 1", "'a/b'"}},
        Fault{"case_name_null", {"operator 'one', case 1 has no name"}},
        Fault{"case_duplicate", {"operator 'one' has two cases named 'small'"}},
        Fault{"rank", {"('medium') has rank 9, allowed are 0 to 8"}},
        Fault{"dims_null", {"('medium') has rank 2 and no dims"}},
        Fault{"dims_negative", {"('medium') has the size -5"}},
        Fault{"dtype", {"('medium') has dtype 99"}},
        Fault{"flops", {"('medium') has flops or bytes of -1"}}),
    [](auto const& instance) { return std::string(instance.param.name); });

TEST(Library, TheUnbrokenTableIsTaken) {
  auto const library = Library::load(kFakes + "/faulty_table.so");
  ASSERT_TRUE(library) << library.error().text;
  EXPECT_EQ(library->operators().size(), 2u);
}

TEST(Library, CopiesWhatTheTableSays) {
  auto const library = Library::load(kFakes + "/good.so");
  ASSERT_TRUE(library) << library.error().text;
  EXPECT_EQ(library->name(), "good");
  EXPECT_EQ(library->version(), "1.2");
  EXPECT_EQ(library->note(), "plain C");
  ASSERT_NE(library->find("copy"), nullptr);
  EXPECT_EQ(library->find("none"), nullptr);
  Operator const& copy = *library->find("copy");
  EXPECT_EQ(copy.description, "copies a buffer");
  ASSERT_EQ(copy.cases.size(), 3u);
  EXPECT_EQ(copy.cases[0].shape_text, "1000");
  EXPECT_EQ(copy.cases[2].shape_text, "2x100x100");
  EXPECT_EQ(copy.cases[2].index, 2u);
  EXPECT_EQ(copy.cases[2].dtype, "bf16");
  EXPECT_EQ(copy.cases[2].elements(), 20'000);
  EXPECT_EQ(copy.cases[0].flops, 1000);
}

TEST(Library, WhatIsNoPlugInIsRefused) {
  auto const missing = Library::load(kFakes + "/nothing here.so");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("nothing here.so"));
  auto const no_entry = Library::load(kFakes + "/no_entry.so");
  ASSERT_FALSE(no_entry);
  EXPECT_THAT(no_entry.error().text, HasSubstr("does not export zlbench_operators()"));
  EXPECT_FALSE(Library::load("/etc/passwd"));
  EXPECT_FALSE(Library::load(kFakes));
  EXPECT_FALSE(Library::load(""));
}

// A bare file name is a file of this folder, not a library of the system.
TEST(Library, ABareNameIsNotLookedUpInTheSystem) {
  auto const library = Library::load("libm.so.6");
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().text, HasSubstr("cannot be loaded"));
}

}  // namespace
}  // namespace zl::native
