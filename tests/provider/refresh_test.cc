#include "provider/refresh.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "base/files.h"
#include "provider/corpus_files.h"
#include "provider/corpus_fixture.h"
#include "provider/index_text.h"

namespace zl::provider {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kNoPython[] = "/nowhere/python";

std::string test_of(std::string const& mark) {
  return "import pytest\n@pytest.mark." + mark + "\ndef test_x(): pass\n";
}

class RefreshTest : public CorpusTest {
 protected:
  RefreshTest() {
    list_operators({"abs", "mul", "add"});
    write("benchmark/test_a.py", test_of("abs"));
    write("benchmark/test_b.py", test_of("mul"));
  }

  // Until the clock of the file system has moved on, so that no file is as young as the index.
  void let_time_pass() { ::usleep(20000); }

  fs::path cache_file() const {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator(cache_ / "flaggems")) files.push_back(entry);
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? fs::path() : files.front();
  }

  std::vector<std::string> nodes(FlagGemsCorpus const& corpus, std::string const& id) {
    return corpus.resolve(id, NodeKind::benchmark).nodes;
  }
};

TEST_F(RefreshTest, TheSecondCallNeedsNoPython) {
  EXPECT_EQ(open().indexed_files(), 2u);
  Result<FlagGemsCorpus> const warm = FlagGemsCorpus::open(options(kNoPython));
  ASSERT_TRUE(warm) << warm.error().text;
  EXPECT_EQ(warm->indexed_files(), 0u);
  EXPECT_THAT(warm->notes(), IsEmpty());
  EXPECT_THAT(nodes(*warm, "abs"), ElementsAre("benchmark/test_a.py::test_x"));
  EXPECT_EQ(warm->operators().size(), 3u);
}

TEST_F(RefreshTest, WithoutACacheFolderNothingIsKept) {
  OpenOptions bare = options();
  bare.cache_folder.clear();
  ASSERT_TRUE(FlagGemsCorpus::open(bare));
  Result<FlagGemsCorpus> const again = FlagGemsCorpus::open(bare);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->indexed_files(), 2u);
  EXPECT_FALSE(fs::exists(cache_));
}

TEST_F(RefreshTest, AChangeOfTheSameSizeAndTimeIsSeen) {
  open();
  fs::path const file = root_ / "benchmark" / "test_a.py";
  fs::file_time_type const before = fs::last_write_time(file);
  write("benchmark/test_a.py", test_of("add"));
  fs::last_write_time(file, before);
  FlagGemsCorpus const corpus = open();
  EXPECT_EQ(corpus.indexed_files(), 1u);
  EXPECT_THAT(nodes(corpus, "abs"), IsEmpty());
  EXPECT_THAT(nodes(corpus, "add"), ElementsAre("benchmark/test_a.py::test_x"));
}

TEST_F(RefreshTest, ATouchedFileIsReadButNotParsedAgain) {
  open();
  write("benchmark/test_a.py", test_of("abs"));
  EXPECT_TRUE(FlagGemsCorpus::open(options(kNoPython)));
}

TEST_F(RefreshTest, NewAndDeletedFilesAreSeen) {
  open();
  fs::remove(root_ / "benchmark" / "test_a.py");
  write("benchmark/test_c.py", test_of("add"));
  FlagGemsCorpus const corpus = open();
  EXPECT_EQ(corpus.indexed_files(), 1u);
  EXPECT_THAT(nodes(corpus, "abs"), IsEmpty());
  EXPECT_THAT(nodes(corpus, "add"), ElementsAre("benchmark/test_c.py::test_x"));
  EXPECT_THAT(nodes(corpus, "mul"), ElementsAre("benchmark/test_b.py::test_x"));
}

TEST_F(RefreshTest, AChangedCatalogueIsSeen) {
  open();
  list_operators({"abs", "mul", "new"});
  FlagGemsCorpus const corpus = open();
  EXPECT_EQ(corpus.indexed_files(), 0u);
  EXPECT_EQ(corpus.operators().back().id, "new");
}

TEST_F(RefreshTest, ABrokenCacheIsBuiltAnewAndSaidOnce) {
  open();
  std::string const whole = read_file(cache_file()).value();
  std::string flipped = whole;
  flipped[whole.find("mul")] = 'x';
  std::vector<std::string> const broken = {"",
                                           "garbage",
                                           whole.substr(0, whole.size() / 2),
                                           whole + whole,
                                           flipped,
                                           "zlbench FlagGems index 0\n" + whole};
  for (std::string const& text : broken) {
    std::ofstream(cache_file(), std::ios::trunc) << text;
    FlagGemsCorpus const corpus = open();
    EXPECT_EQ(corpus.indexed_files(), 2u) << text.substr(0, 40);
    EXPECT_THAT(corpus.notes(), ElementsAre(HasSubstr("built anew"))) << text.substr(0, 40);
    EXPECT_THAT(nodes(corpus, "mul"), ElementsAre("benchmark/test_b.py::test_x"));
    EXPECT_THAT(open().notes(), IsEmpty());
  }
}

TEST_F(RefreshTest, ACacheFolderThatCannotBeWrittenIsANote) {
  std::ofstream(cache_) << "a file stands here";
  FlagGemsCorpus const corpus = open();
  EXPECT_THAT(corpus.notes(), ElementsAre(HasSubstr("was not kept")));
  EXPECT_THAT(nodes(corpus, "abs"), ElementsAre("benchmark/test_a.py::test_x"));
}

TEST_F(RefreshTest, AnotherInterpreterGetsAnotherTryAtWhatDidNotParse) {
  write("benchmark/test_bad.py", "def test_x(:\n");
  open();
  EXPECT_EQ(open().indexed_files(), 0u);
  std::string const other = script("other", std::string("exec ") + kPython + " \"$@\"");
  Result<FlagGemsCorpus> const corpus = FlagGemsCorpus::open(options(other));
  ASSERT_TRUE(corpus);
  EXPECT_EQ(corpus->indexed_files(), 1u);
  EXPECT_THAT(corpus->notes(), ElementsAre(HasSubstr("test_bad.py:1 does not parse")));
}

TEST_F(RefreshTest, ACorpusElsewhereHasItsOwnIndex) {
  open();
  fs::copy(root_, folder_ / "second", fs::copy_options::recursive);
  root_ = folder_ / "second";
  EXPECT_EQ(open().indexed_files(), 2u);
}

TEST_F(RefreshTest, TheIndexIsNotWrittenAgainWithoutNeed) {
  let_time_pass();
  open();
  std::optional<FileStamp> const before = stamp_of(cache_file());
  let_time_pass();
  open();
  EXPECT_EQ(stamp_of(cache_file()), before);
}

TEST_F(RefreshTest, AFileAsYoungAsTheIndexIsRacy) {
  FileStamp const stamp{10, 1000, 2000, 7};
  EXPECT_TRUE(is_racy(stamp, 1999));
  EXPECT_TRUE(is_racy(stamp, 2000));
  EXPECT_FALSE(is_racy(stamp, 2001));
  EXPECT_TRUE(is_racy(FileStamp{10, 3000, 2000, 7}, 2500));
  std::int64_t const before = file_clock_ns();
  write("benchmark/test_now.py", "");
  EXPECT_GE(stamp_of(root_ / "benchmark/test_now.py")->ctime_ns, before);
}

// An index that claims to be older than a file must not be believed about it, stamp or no stamp.
TEST_F(RefreshTest, ARacyFileIsReadAgain) {
  open();
  std::string text = read_file(cache_file()).value();
  std::string const key = text.substr(0, text.find('\n'));
  CorpusIndex index = from_text(text, key).value();
  index.taken_ns = index.files[0].stamp.ctime_ns;
  index.files[0].hash = "of other content";
  index.files[0].functions.clear();
  ASSERT_TRUE(write_file_atomic(cache_file(), to_text(index, key)));
  EXPECT_THAT(nodes(open(), "abs"), ElementsAre("benchmark/test_a.py::test_x"));
}

TEST_F(RefreshTest, AFileThatChangesWhileItIsReadIsReadAgain) {
  std::string const file = (root_ / "benchmark" / "test_a.py").string();
  std::string const python =
      script("late", "sed -i s/mark.abs/mark.add/ '" + file + "'; exec " + kPython + " \"$@\"");
  ASSERT_TRUE(FlagGemsCorpus::open(options(python)));
  write("benchmark/test_a.py", test_of("abs"));
  EXPECT_THAT(nodes(open(), "abs"), ElementsAre("benchmark/test_a.py::test_x"));
}

TEST_F(RefreshTest, ManyProcessesAtOnceAreSafe) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    pid_t const child = ::fork();
    if (child == 0) {
      bool is_good = true;
      for (int round = 0; round < 5 && is_good; ++round) {
        write("benchmark/test_c" + std::to_string(i) + ".py",
              test_of("add") + "#" + std::to_string(round));
        Result<FlagGemsCorpus> const corpus = FlagGemsCorpus::open(options());
        is_good = corpus && nodes(*corpus, "abs").size() == 1 && corpus->notes().empty();
      }
      ::_exit(is_good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(nodes(open(), "add"), testing::SizeIs(6));
  std::size_t files = 0;
  for (auto const& entry : fs::directory_iterator(cache_ / "flaggems")) files += entry.exists();
  EXPECT_EQ(files, 1u);
}

TEST(IndexText, KeepsEverything) {
  CorpusIndex index;
  index.taken_ns = 12;
  index.python = "my\tpython";
  index.catalogue_stamp = {1, -2, 3, 4};
  index.catalogue_hash = "h";
  index.operators = {{"abs", {"a.x", "b,c d"}, "beta"}, {"mul", {}, ""}};
  index.files = {{"tests/test_a b.py",
                  {5, 6, 7, 18446744073709551615u},
                  "h1",
                  {{"TestA::test_x", 3, {"m", "n"}, {}}, {"test_y", 9, {}, {"o"}}},
                  {}},
                 {"tests/test_z.py", {}, "h2", {}, ParseError{4, "bad\nthing"}}};
  std::optional<CorpusIndex> const back = from_text(to_text(index, "key"), "key");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->taken_ns, 12);
  EXPECT_EQ(back->python, "my python");
  EXPECT_EQ(back->catalogue_stamp, index.catalogue_stamp);
  EXPECT_EQ(back->operators[0].aliases, index.operators[0].aliases);
  EXPECT_EQ(back->operators[0].stage, "beta");
  EXPECT_EQ(back->operators[1].id, "mul");
  EXPECT_EQ(back->files[0].path, "tests/test_a b.py");
  EXPECT_EQ(back->files[0].stamp, index.files[0].stamp);
  EXPECT_EQ(back->files[0].functions[0].name, "TestA::test_x");
  EXPECT_THAT(back->files[0].functions[0].marks, ElementsAre("m", "n"));
  EXPECT_THAT(back->files[0].functions[1].op_names, ElementsAre("o"));
  EXPECT_EQ(back->files[1].error->line, 4);
  EXPECT_EQ(back->files[1].error->message, "bad thing");
  EXPECT_FALSE(from_text(to_text(index, "key"), "other key"));
}

}  // namespace
}  // namespace zl::provider
