#include "run/plugin_folder.h"

#include <gmock/gmock.h>

#include "base/embedded.h"
#include "temp_folder.h"

namespace zl::run {
namespace {

TEST(PluginFolder, HoldsEveryPluginAsItIsInThisProgram) {
  TempFolder folder;
  Result<fs::path> const path =
      unpack_plugins({{"XDG_CACHE_HOME", folder.path().string()}}, "/proc/none");
  ASSERT_TRUE(path);
  ASSERT_FALSE(embedded::python_plugins().empty());
  for (EmbeddedFile const& file : embedded::python_plugins()) {
    EXPECT_EQ(*read_file(*path / "zlbench_plugins" / file.name), file.text) << file.name;
  }
}

TEST(PluginFolder, AChangedFileIsPutRight) {
  TempFolder folder;
  Environment const environment{{"XDG_CACHE_HOME", folder.path().string()}};
  fs::path const file = *unpack_plugins(environment, "/proc/none") / "zlbench_plugins/timing.py";
  std::string const before = *read_file(file);
  ASSERT_TRUE(write_file_atomic(file, "half a fi"));
  ASSERT_TRUE(unpack_plugins(environment, "/proc/none"));
  EXPECT_EQ(*read_file(file), before);
}

TEST(PluginFolder, WithoutACacheTheyLieInTheFallback) {
  TempFolder folder;
  Result<fs::path> const path = unpack_plugins({}, folder.path());
  ASSERT_TRUE(path);
  EXPECT_EQ(path->parent_path(), folder.path());
  Result<fs::path> const unwritable =
      unpack_plugins({{"XDG_CACHE_HOME", "/proc/none"}}, folder.path());
  ASSERT_TRUE(unwritable);
  EXPECT_EQ(unwritable->parent_path(), folder.path());
  EXPECT_FALSE(unpack_plugins({}, "/proc/none"));
}

}  // namespace
}  // namespace zl::run
