#include "provider/indexer.h"

#include <gmock/gmock.h>

#include "provider/corpus_fixture.h"

namespace zl::provider {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class IndexerTest : public CorpusTest {
 protected:
  IndexedFile index(std::string const& text) {
    write("tests/test_x.py", text);
    Result<std::vector<IndexedFile>> files =
        index_files(root_, {"tests/test_x.py"}, kPython, current_environment());
    EXPECT_TRUE(files) << files.error().text;
    return files->front();
  }

  // The marks of the only function of a file.
  std::vector<std::string> marks(std::string const& text) {
    IndexedFile const file = index(text);
    EXPECT_EQ(file.functions.size(), 1u) << (file.error ? file.error->message : "");
    return file.functions.empty() ? std::vector<std::string>{} : file.functions.front().marks;
  }

  std::string error_with(std::string const& python) {
    write("tests/test_x.py", "");
    Result<std::vector<IndexedFile>> const files =
        index_files(root_, {"tests/test_x.py"}, python, current_environment());
    EXPECT_FALSE(files);
    if (files) return "";
    EXPECT_EQ(files.error().kind, ErrorKind::environment);
    return files.error().text;
  }
};

TEST_F(IndexerTest, ReadsEveryFormOfADecorator) {
  EXPECT_THAT(marks("import pytest\n@pytest.mark.a\ndef test_x(): pass\n"), ElementsAre("a"));
  EXPECT_THAT(marks("import pytest\n@pytest.mark.a()\ndef test_x(): pass\n"), ElementsAre("a"));
  EXPECT_THAT(marks("import pytest\n@pytest.mark.a(1).with_args(2)\ndef test_x(): pass\n"),
              ElementsAre("a"));
  EXPECT_THAT(marks("import pytest\n@getattr(pytest.mark, 'a')\ndef test_x(): pass\n"),
              ElementsAre("a"));
  EXPECT_THAT(marks("import pytest as pt\n@pt.mark.a\nasync def test_x(): pass\n"),
              ElementsAre("a"));
  EXPECT_THAT(marks("from pytest import mark as m\n@m.a\ndef test_x(): pass\n"), ElementsAre("a"));
  EXPECT_THAT(marks("import pytest\nM = pytest.mark\nA = M.a\n@A\ndef test_x(): pass\n"),
              ElementsAre("a"));
  EXPECT_THAT(marks("import pytest\nA = getattr(pytest.mark, 'a')\n@A\ndef test_x(): pass\n"),
              ElementsAre("a"));
}

TEST_F(IndexerTest, ReadsMarksThatTheCorpusBuildsItself) {
  std::string const head =
      "import pytest\nfrom _pytest.mark.structures import Mark, MarkDecorator\n"
      "A = MarkDecorator(Mark('_a', (), {}, _ispytest=True), _ispytest=True)\n"
      "setattr(pytest.mark, '_a', A)\n";
  EXPECT_THAT(marks(head + "@pytest.mark._a\ndef test_x(): pass\n"), ElementsAre("_a"));
  EXPECT_THAT(marks(head + "@A\ndef test_x(): pass\n"), ElementsAre("_a"));
}

TEST_F(IndexerTest, OrdersMarksNearestFirstThenClassModuleAndParameters) {
  EXPECT_THAT(marks("import pytest\n"
                    "pytestmark = [pytest.mark.module, pytest.mark.skipif(True, reason='')]\n"
                    "@pytest.mark.klass\n"
                    "class TestA:\n"
                    "  pytestmark = pytest.mark.body\n"
                    "  @pytest.mark.far\n"
                    "  @pytest.mark.parametrize('n', [1, pytest.param(2, marks=pytest.mark.one)])\n"
                    "  @pytest.mark.near\n"
                    "  @pytest.mark.timeout(3)\n"
                    "  def test_x(self, n): pass\n"),
              ElementsAre("near", "far", "klass", "body", "module", "one"));
}

TEST_F(IndexerTest, ReadsParametersThroughANameAndSeveralMarks) {
  EXPECT_THAT(marks("import pytest\n"
                    "CASES = [pytest.param(1, marks=[pytest.mark.a, pytest.mark.b])]\n"
                    "@pytest.mark.parametrize('n', CASES)\n"
                    "def test_x(n): pass\n"),
              ElementsAre("a", "b"));
}

TEST_F(IndexerTest, LeavesOutMarksThatSteerPytestAndOtherDecorators) {
  EXPECT_THAT(marks("import pytest, functools\n"
                    "@functools.lru_cache()\n@unknown\n@pytest.fixture\n@pytest.mark.skip\n"
                    "@pytest.mark.usefixtures('a')\n@pytest.mark.xfail\ndef test_x(): pass\n"),
              IsEmpty());
}

TEST_F(IndexerTest, NamesFunctionsAsNodesDo) {
  IndexedFile const file = index(
      "class TestA:\n  class TestB:\n    def test_in(self): pass\n  def helper(self): pass\n"
      "class Other:\n  def test_not(self): pass\n"
      "def test_twice(): pass\n"
      "try:\n  import numpy\nexcept ImportError:\n  pass\nelse:\n  def test_under_try(): pass\n"
      "if True:\n  import pytest\n  @pytest.mark.second\n  def test_twice(): pass\n");
  std::vector<std::string> names;
  for (TestFunction const& function : file.functions) names.push_back(function.name);
  EXPECT_THAT(names, ElementsAre("TestA::TestB::test_in", "test_twice", "test_under_try"));
  EXPECT_EQ(file.functions[0].line, 3);
  EXPECT_THAT(file.functions[1].marks, ElementsAre("second"));  // as in Python, the later counts
}

TEST_F(IndexerTest, ReadsOpNameLiterals) {
  IndexedFile const file = index(
      "op_name = 'module'\ndef test_x():\n  run(op_name='a')\n  run(op_name=name)\n"
      "  run(op_name='not an id')\n  # op_name='comment'\n  run(other(op_name='b'))\n");
  ASSERT_EQ(file.functions.size(), 1u);
  EXPECT_THAT(file.functions[0].op_names, ElementsAre("a", "b"));
}

TEST_F(IndexerTest, ReportsFilesThatDoNotParseAndGoesOn) {
  write("tests/test_bad.py", "x = 1\ndef test_x(:\n");
  write("tests/test_bytes.py", "x = 'caf\xe9'\ndef test_x(): pass\n");
  write("tests/test_zero.py", std::string("x = 1\0\n", 7));
  write("tests/test_deep.py", "x = " + std::string(5000, '-') + "1\n");
  write("tests/test_cookie.py", "# coding: no-such-code\n");
  write("tests/test_good.py", "def test_x(): pass\n");
  std::vector<std::string> const paths = {
      "tests/test_bad.py",    "tests/test_bytes.py", "tests/test_zero.py", "tests/test_deep.py",
      "tests/test_cookie.py", "tests/test_none.py",  "tests/test_good.py"};
  Result<std::vector<IndexedFile>> const files =
      index_files(root_, paths, kPython, current_environment());
  ASSERT_TRUE(files) << files.error().text;
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    ASSERT_TRUE((*files)[i].error) << paths[i];
    EXPECT_FALSE((*files)[i].error->message.empty()) << paths[i];
    EXPECT_EQ((*files)[i].path, paths[i]);
  }
  EXPECT_EQ((*files)[0].error->line, 2);
  EXPECT_THAT((*files)[1].error->message, HasSubstr("utf-8"));
  EXPECT_FALSE(files->back().error);
  EXPECT_EQ(files->back().functions.size(), 1u);
}

TEST_F(IndexerTest, WarningsOfTheCorpusDoNotReachTheAnswer) {
  EXPECT_THAT(marks("import pytest\nx = '\\d' is 'y'\n@pytest.mark.a\ndef test_x(): pass\n"),
              ElementsAre("a"));
}

TEST_F(IndexerTest, AnswersForManyFilesFromSeveralProcesses) {
  std::vector<std::string> paths;
  for (int i = 0; i < 450; ++i) {
    paths.push_back("tests/test_" + std::to_string(i) + ".py");
    write(paths.back(), "def test_" + std::to_string(i) + "(): pass\n");
  }
  Result<std::vector<IndexedFile>> const files =
      index_files(root_, paths, kPython, current_environment());
  ASSERT_TRUE(files) << files.error().text;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ASSERT_EQ((*files)[i].functions.size(), 1u) << paths[i];
    EXPECT_EQ((*files)[i].functions[0].name, "test_" + std::to_string(i));
  }
}

TEST_F(IndexerTest, SaysWhyAnInterpreterCannotServe) {
  EXPECT_THAT(error_with("no-such-python-here"),
              testing::AllOf(HasSubstr("no-such-python-here"), HasSubstr("not found in PATH")));
  EXPECT_THAT(error_with((folder_ / "absent").string()), HasSubstr("No such file"));
  EXPECT_THAT(error_with(script("broken", "echo started; echo 'no module named ast' >&2; exit 3")),
              testing::AllOf(HasSubstr("exit status 3"), HasSubstr("no module named ast"),
                             HasSubstr("Python 3.8")));
  EXPECT_THAT(error_with(script("silent", "exit 0")), HasSubstr("no answer for tests/test_x.py"));
  EXPECT_THAT(error_with(script("liar", "echo '{\"file\": 3}'")), HasSubstr("no JSON"));
  EXPECT_THAT(error_with(script("killed", "kill -9 $$")), HasSubstr("signal 9"));
}

TEST_F(IndexerTest, FindsARelativeInterpreterFromTheCallersFolder) {
  fs::path const before = fs::current_path();
  fs::current_path(folder_);
  script("mine", std::string("exec ") + kPython + " \"$@\"");
  write("tests/test_x.py", "def test_x(): pass\n");
  Result<std::vector<IndexedFile>> const files =
      index_files(root_, {"tests/test_x.py"}, "./mine", current_environment());
  fs::current_path(before);
  ASSERT_TRUE(files) << files.error().text;
  EXPECT_EQ(files->front().functions.size(), 1u);
}

}  // namespace
}  // namespace zl::provider
