// What a user of the installed header can do with it and nothing else of this tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/parent.h"

namespace zl::native {
namespace {

using testing::HasSubstr;

fs::path const kSource = ZL_SOURCE_DIR;
fs::path const kExample = kSource / "tests/fakes/operators/outside/scale.c";

// A folder with include/ as an installation has it.
class Outside : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folder(include()));
    fs::copy(kSource / "include/zlbench", include() / "zlbench");
  }
  fs::path include() const { return folder_.path() / "include"; }

  std::string compile(std::vector<std::string> argv) {
    SpawnRequest request;
    request.argv = std::move(argv);
    request.environment = current_environment();
    request.working_directory = folder_.path();
    auto const output = run_command(std::move(request), 60);
    if (!output) return output.error().text;
    return output->status.code == 0 ? output->out : output->out + output->status.describe();
  }

  TemporaryFolder folder_;
};

TEST_F(Outside, TheExampleCompilesListsAndRuns) {
  fs::copy(kExample, folder_.path() / "scale.c");
  EXPECT_EQ(
      compile({ZL_C_COMPILER, "-O2", "-shared", "-fPIC", "-std=c11", "-Wall", "-Wextra",
               "-pedantic", "-Werror", "-I", include().string(), "scale.c", "-o", "scale.so"}),
      "");
  std::string const library = (folder_.path() / "scale.so").string();
  Parent list({"--list", library}, {}, false);
  EXPECT_EQ(list.wait().code, 0);
  EXPECT_THAT(list.log(), HasSubstr("\"name\":\"scale\""));
  Parent run({library, "scale"});
  auto const messages = run.run_to_end();
  EXPECT_EQ(run.wait().code, 0) << run.log();
  EXPECT_EQ(of_type(messages, "measurement").size(), 4u);
  for (Json const& end : of_type(messages, "case_end")) EXPECT_EQ(end["status"], "ok");
}

TEST_F(Outside, TheHeaderAloneIsStrictCAndCxx) {
  std::ofstream(folder_.path() / "alone.c") << "#include <zlbench/operator.h>\n"
                                               "struct zlbench_library const library = "
                                               "{ZLBENCH_LIBRARY_HEADER, 0, 0, 0, 0, 0, 0};\n";
  std::vector<std::string> const strict = {
      "-fsyntax-only", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", include().string()};
  auto const with = [&](std::vector<std::string> argv) {
    argv.insert(argv.end(), strict.begin(), strict.end());
    argv.push_back("alone.c");
    return argv;
  };
  EXPECT_EQ(compile(with({ZL_C_COMPILER, "-std=c11"})), "");
  EXPECT_EQ(compile(with({ZL_CXX_COMPILER, "-x", "c++", "-std=c++20"})), "");
}

// The page shows the file that the test above compiles.
TEST(OutsideDocs, ShowTheExampleAsItIs) {
  auto const page = read_file(kSource / "docs/native-operators.md");
  auto const example = read_file(kExample);
  ASSERT_TRUE(page && example);
  EXPECT_NE(page->find("```c\n" + *example + "```\n"), std::string::npos);
}

}  // namespace
}  // namespace zl::native
