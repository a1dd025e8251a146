#include <gmock/gmock.h>

#include "backend/fake_libraries.h"
#include "backend/library.h"
#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Candidates, VariablesInPathsAreReplacedOrTheCandidateIsSkipped) {
  Environment const environment = {{"FAKES", kFakes}};
  EXPECT_EQ(ask("mtml", "${FAKES}/libfake_mtml.so", 5, environment).devices.size(), 1u);
  EXPECT_THAT(ask("mtml", "${FAKES}/libfake_mtml.so").notes,
              ElementsAre("mtml: no library candidate applies here"));
}

struct TwoSlots {
  int (*present)();
  int (*absent)();
};

TEST(Loader, SaysWhichLibraryAndWhichSymbols) {
  Symbol const symbols[] = {
      {"nvmlNewName", "nvmlShutdown", offsetof(TwoSlots, present), true},
      {"nvmlNothing", nullptr, offsetof(TwoSlots, absent), false},
  };
  TwoSlots slots{nullptr, [] { return 1; }};
  auto const loaded =
      load_library({"libdoes-not-exist.so.9", kFakes + "libfake_nvml.so"}, {}, symbols, &slots);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_EQ(loaded->library, kFakes + "libfake_nvml.so");
  EXPECT_THAT(loaded->older, ElementsAre("nvmlShutdown"));
  EXPECT_THAT(loaded->missing, ElementsAre("nvmlNothing"));
  ASSERT_NE(slots.present, nullptr);
  EXPECT_EQ(slots.present(), 0);
  EXPECT_EQ(slots.absent, nullptr);
}

TEST(Loader, ErrorGivesTheReasonOfEveryCandidate) {
  Symbol const symbols[] = {{"nvmlNothing", nullptr, offsetof(TwoSlots, present), true}};
  TwoSlots slots{};
  auto const loaded =
      load_library({"libdoes-not-exist.so.9", kFakes + "libfake_nvml.so"}, {}, symbols, &slots);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().text,
              AllOf(HasSubstr("libdoes-not-exist.so.9"),
                    HasSubstr("libfake_nvml.so: has no symbol 'nvmlNothing'")));
}

}  // namespace
}  // namespace zl::backend
