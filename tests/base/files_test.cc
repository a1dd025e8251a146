#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temp_folder.h"

namespace zl {
namespace {

TEST(Files, AtomicWriteReplacesAndLeavesNothingElse) {
  TempFolder folder;
  ASSERT_TRUE(write_file_atomic(folder / "a", "one"));
  ASSERT_TRUE(write_file_atomic(folder / "a", "two"));
  EXPECT_EQ(*read_file(folder / "a"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(Files, AFullDiskIsAnErrorThatNamesTheFile) {
  Fd const full(::open("/dev/full", O_WRONLY));
  Result<void> const written = write_all(full.get(), "x", "some/file");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text.find("some/file"), std::string::npos);
  EXPECT_NE(written.error().text.find("No space left"), std::string::npos);
}

TEST(Files, ReadingAFolderOrNothingIsAnError) {
  TempFolder folder;
  EXPECT_FALSE(read_file(folder.path()));
  Result<std::string> const missing = read_file(folder / "missing");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("No such file"), std::string::npos);
}

TEST(Files, MakeFolderRefusesAFileInTheWay) {
  TempFolder folder;
  ASSERT_TRUE(write_file_atomic(folder / "file", ""));
  EXPECT_FALSE(make_folder(folder / "file"));
  EXPECT_TRUE(make_folder(folder / "a/b/c"));
  EXPECT_TRUE(make_folder(folder / "a/b/c"));
}

TEST(Files, CacheFolderFollowsXdgAndThenHome) {
  EXPECT_EQ(user_cache_folder({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/x/zlbench");
  EXPECT_EQ(user_cache_folder({{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}}),
            "/h/.cache/zlbench");
  EXPECT_EQ(user_cache_folder({}), "");
}

TEST(Files, ContentHashIsOfTheContent) {
  EXPECT_EQ(content_hash("a"), content_hash("a"));
  EXPECT_NE(content_hash("a"), content_hash("b"));
  EXPECT_EQ(content_hash("").size(), 32u);
}

}  // namespace
}  // namespace zl
