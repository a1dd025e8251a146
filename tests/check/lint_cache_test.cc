#include "check/lint_cache.h"

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace zl::check {
namespace {

using provider::FoundFile;

constexpr std::int64_t kTaken_ns = 1'000'000;

std::vector<FoundFile> files(std::uint64_t size = 10, std::int64_t mtime_ns = 5) {
  return {{"tests/test_a.py", {size, mtime_ns, 5, 1}}, {"tests/test_b.py", {20, 6, 6, 2}}};
}

class LintCacheTest : public testing::Test {
 protected:
  LintCache cache(std::string const& key = "key") const { return {folder_.path(), "/corpus", key}; }
  TempFolder folder_;
};

TEST_F(LintCacheTest, GivesBackWhatWasStoredForTheSameFilesAndKey) {
  std::string const answer = "{\"a\": 1}\n{\"b\": 2}\n";
  ASSERT_TRUE(cache().store(files(), kTaken_ns, answer));
  EXPECT_EQ(cache().find(files()), answer);
  EXPECT_EQ(cache("other key").find(files()), std::nullopt);
  EXPECT_EQ(LintCache(folder_.path(), "/other", "key").find(files()), std::nullopt);
}

TEST_F(LintCacheTest, AnyChangeOfAFileOrOfTheirListIsSeen) {
  ASSERT_TRUE(cache().store(files(), kTaken_ns, "answer"));
  EXPECT_FALSE(cache().find(files(11)));
  EXPECT_FALSE(cache().find(files(10, 6)));
  std::vector<FoundFile> fewer = files();
  fewer.pop_back();
  EXPECT_FALSE(cache().find(fewer));
  std::vector<FoundFile> renamed = files();
  renamed.front().path = "tests/test_c.py";
  EXPECT_FALSE(cache().find(renamed));
}

TEST_F(LintCacheTest, AFileAsYoungAsTheAnswerIsNotTrusted) {
  ASSERT_TRUE(cache().store(files(10, kTaken_ns), kTaken_ns, "answer"));
  EXPECT_FALSE(cache().find(files(10, kTaken_ns)));
}

TEST_F(LintCacheTest, WithoutAFolderNothingIsKept) {
  LintCache const none("", "/corpus", "key");
  EXPECT_TRUE(none.store(files(), kTaken_ns, "answer"));
  EXPECT_FALSE(none.find(files()));
}

TEST_F(LintCacheTest, AFolderThatCannotBeMadeIsAnErrorThatNamesIt) {
  fs::path const blocked = folder_.path() / "file";
  ASSERT_TRUE(write_file_atomic(blocked, "x"));
  Result<void> const stored =
      LintCache(blocked, "/corpus", "key").store(files(), kTaken_ns, "answer");
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().text.find(blocked.string()), std::string::npos) << stored.error().text;
}

}  // namespace
}  // namespace zl::check
