#include "base/text.h"

#include <gmock/gmock.h>

namespace zl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a,", ','), ElementsAre("a", ""));
}

TEST(Text, TrimTakesBlanksOnBothSidesOnly) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
}

TEST(Text, ParseIntegerTakesWholeNumbersOnly) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("12a"), std::nullopt);
  EXPECT_EQ(parse_integer(" 1"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
}

TEST(Text, EditDistanceCountsASwapOnce) {
  EXPECT_EQ(edit_distance("softmax", "sotfmax"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("gemm", "gemm"), 0u);
}

TEST(Text, NearNamesPutTheNearestFirstAndLeaveStrangersOut) {
  std::vector<std::string> const known{"softmin", "softmax", "gather", "log_softmax"};
  EXPECT_EQ(near_names("softmx", known).front(), "softmax");
  EXPECT_THAT(near_names("zzzzzz", known), IsEmpty());
  EXPECT_EQ(did_you_mean("gahter", known), " Did you mean 'gather'?");
  EXPECT_EQ(did_you_mean("zzzzzz", known), "");
}

TEST(Text, GlobMatchesLikeAShell) {
  EXPECT_TRUE(glob_matches("abs*", "abs_"));
  EXPECT_TRUE(glob_matches("[ab]dd", "add"));
  EXPECT_FALSE(glob_matches("abs", "abs_"));
}

TEST(Text, ShellQuoteLeavesPlainWordsAndProtectsOthers) {
  EXPECT_EQ(shell_quote("a/b.c=1"), "a/b.c=1");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(Text, PrintableIsOneLineWithoutControlBytes) {
  EXPECT_EQ(printable("a\nb\x1b[31m"), "a b\\x1b[31m");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(Text, InvalidUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(to_valid_utf8("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(to_valid_utf8("a\xff"
                          "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(to_valid_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");    // overlong '/'
  EXPECT_EQ(to_valid_utf8("x\xe2\x82"), "x\xef\xbf\xbd\xef\xbf\xbd");  // cut off
}

}  // namespace
}  // namespace zl
