#include <gmock/gmock.h>

#include "provider/corpus_fixture.h"
#include "provider/flaggems.h"

namespace zl::provider {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DirectTest : public CorpusTest {
 protected:
  DirectTest() {
    write("benchmark/test_mm.py",
          "import pytest\n@pytest.mark.mm\ndef test_mm(): pass\n"
          "@pytest.mark.bmm\ndef test_bmm(): pass\n"
          "class TestA:\n  def test_in(self): pass\n");
  }

  Result<DirectNodes> node(std::string const& test_node, std::string const& op = "") {
    return resolve_direct({root_, kPython, current_environment(), test_node, "", op});
  }
  Result<DirectNodes> file(std::string const& op_file, std::string const& op = "") {
    return resolve_direct({root_, kPython, current_environment(), "", op_file, op});
  }
  static void expect_usage(Result<DirectNodes> const& result, std::string const& part) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::usage);
    EXPECT_THAT(result.error().text, HasSubstr(part));
  }
};

TEST_F(DirectTest, ANodeIsTakenAsItIs) {
  Result<DirectNodes> const plain = node("benchmark/test_mm.py::test_mm");
  ASSERT_TRUE(plain) << plain.error().text;
  EXPECT_THAT(plain->nodes, ElementsAre("benchmark/test_mm.py::test_mm"));
  EXPECT_EQ(plain->op, "mm");
  Result<DirectNodes> const deep =
      node("benchmark/./test_mm.py::TestA::test_in[a::b-../c]", "mine");
  ASSERT_TRUE(deep) << deep.error().text;
  EXPECT_THAT(deep->nodes, ElementsAre("benchmark/test_mm.py::TestA::test_in[a::b-../c]"));
  EXPECT_EQ(deep->op, "mine");
  EXPECT_EQ(node("benchmark/test_mm.py::TestA::test_in")->op, "mm");  // no mark: the file's name
}

TEST_F(DirectTest, AnAbsoluteNodeInsideTheCorpusBecomesRelative) {
  fs::create_directory_symlink(root_, folder_ / "link");
  for (fs::path const& start : {root_, folder_ / "link"}) {
    Result<DirectNodes> const found = node((start / "benchmark/test_mm.py::test_bmm").string());
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_THAT(found->nodes, ElementsAre("benchmark/test_mm.py::test_bmm"));
  }
}

TEST_F(DirectTest, RefusesNodesThatLeadElsewhere) {
  std::ofstream(folder_ / "test_out.py") << "def test_x(): pass\n";
  expect_usage(node("../test_out.py::test_x"), "outside the corpus");
  expect_usage(node("benchmark/../../test_out.py::test_x"), "outside the corpus");
  expect_usage(node((folder_ / "test_out.py").string() + "::test_x"), "outside the corpus");
  expect_usage(node((root_ / "../test_out.py").string() + "::test_x"), "outside the corpus");
  expect_usage(node("benchmark::test_x"), "never a directory");
  expect_usage(node("benchmark"), "never a directory");
  expect_usage(node("benchmark/test_none.py::test_x"), "no such file");
  expect_usage(node("conf/operators.yaml::test_x"), "no Python file");
  expect_usage(node("::test_x"), "outside the corpus");
  expect_usage(node("benchmark/test_mm.py"), "names no function");
  expect_usage(node("benchmark/test_mm.py::"), "names no function");
  expect_usage(node("benchmark/test_mm.py::test_mmm"), "Did you mean 'test_mm'");
  expect_usage(node("benchmark/test_mm.py::test_mm", "a/b"), "an id has only");
}

TEST_F(DirectTest, ANodeInAFileThatDoesNotParseIsLeftToTheChild) {
  write("benchmark/test_bad.py", "def test_x(:\n");
  Result<DirectNodes> const found = node("benchmark/test_bad.py::test_x");
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("does not parse")));
  EXPECT_EQ(found->op, "bad");
  expect_usage(file("benchmark/test_bad.py"), "benchmark/test_bad.py:1 does not parse");
}

TEST_F(DirectTest, AFileGivesTheNodesOfTheOperatorOrAll) {
  Result<DirectNodes> const one = file("benchmark/test_mm.py", "bmm");
  ASSERT_TRUE(one) << one.error().text;
  EXPECT_THAT(one->nodes, ElementsAre("benchmark/test_mm.py::test_bmm"));
  EXPECT_THAT(file("benchmark/test_mm.py", "_bmm")->nodes,
              ElementsAre("benchmark/test_mm.py::test_bmm"));
  Result<DirectNodes> const all = file("benchmark/test_mm.py");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->op, "mm");
  EXPECT_THAT(all->nodes,
              ElementsAre("benchmark/test_mm.py::test_mm", "benchmark/test_mm.py::test_bmm",
                          "benchmark/test_mm.py::TestA::test_in"));
}

TEST_F(DirectTest, AFileWithoutSuchATestSelectsNothing) {
  Result<DirectNodes> const other = file("benchmark/test_mm.py", "softmax");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::nothing_selected);
  EXPECT_THAT(other.error().text, AllOf(HasSubstr("'softmax'"), HasSubstr("bmm, mm")));
  write("benchmark/test_empty.py", "x = 1\n");
  EXPECT_THAT(file("benchmark/test_empty.py").error().text, HasSubstr("no test function"));
  expect_usage(file("benchmark"), "never a directory");
  expect_usage(file("../x.py"), "outside the corpus");
}

TEST_F(DirectTest, TheNodeWinsOverTheFile) {
  Result<DirectNodes> const found =
      resolve_direct({root_, kPython, current_environment(), "benchmark/test_mm.py::test_mm",
                      "benchmark/test_none.py", ""});
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->nodes.size(), 1u);
}

}  // namespace
}  // namespace zl::provider
