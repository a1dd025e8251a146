#include "provider/flaggems.h"

#include <gmock/gmock.h>

#include "provider/corpus_fixture.h"

namespace zl::provider {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kHead[] = "import pytest\n";

std::string marked(std::string const& mark, std::string const& function) {
  return "@pytest.mark." + mark + "\ndef " + function + "(): pass\n";
}

class FlagGemsTest : public CorpusTest {
 protected:
  void benchmark(std::string const& name, std::string const& text) {
    write("benchmark/test_" + name + ".py", kHead + text);
  }
  Resolution resolve(std::string const& id, NodeKind kind = NodeKind::benchmark) {
    return open().resolve(id, kind);
  }
};

TEST_F(FlagGemsTest, ReadsTheCatalogueInItsOrder) {
  write("conf/operators.yaml",
        "ops:\n"
        "  - id: zeta\n    for: [zeta.Tensor, None]\n"
        "    stages: [alpha: '5.0', stable: '5.2', beta: '5.3']\n"
        "  - id: abs\n    for: abs\n    stages: [{stable: '1.0'}]\n"
        "  - id: zeta\n    stages: [removed: '9']\n"
        "  - description: no id\n  - id: a/b\n  - word\n"
        "  - id: bare\n    for: null\n");
  FlagGemsCorpus const corpus = open();
  ASSERT_EQ(corpus.operators().size(), 3u);
  EXPECT_EQ(corpus.operators()[0].id, "zeta");
  EXPECT_EQ(corpus.operators()[0].stage, "beta");
  EXPECT_THAT(corpus.operators()[0].aliases, ElementsAre("zeta.Tensor"));
  EXPECT_EQ(corpus.operators()[1].stage, "stable");
  EXPECT_THAT(corpus.operators()[1].aliases, ElementsAre("abs"));
  EXPECT_EQ(corpus.operators()[2].stage, "");
  EXPECT_THAT(corpus.operators()[2].aliases, IsEmpty());
}

TEST_F(FlagGemsTest, ExactMarkGivesFileAndFunction) {
  list_operators({"abs"});
  benchmark("other_name", marked("abs", "test_b") + marked("abs", "test_a"));
  write("tests/test_abs.py", kHead + std::string("@pytest.mark.abs\nclass TestAbs:\n"
                                                 "  def test_values(self): pass\n"));
  Resolution const found = resolve("abs");
  EXPECT_TRUE(found.is_resolved());
  EXPECT_EQ(found.how, "exact mark");
  EXPECT_THAT(found.nodes, ElementsAre("benchmark/test_other_name.py::test_a",
                                       "benchmark/test_other_name.py::test_b"));
  EXPECT_EQ(found.default_nodes, found.nodes);
  EXPECT_THAT(resolve("abs", NodeKind::tests).nodes,
              ElementsAre("tests/test_abs.py::TestAbs::test_values"));
}

TEST_F(FlagGemsTest, AMarkSetTwiceGivesTheNodeOnce) {
  list_operators({"abs"});
  benchmark("abs", "pytestmark = pytest.mark.abs\n" + marked("abs", "test_a"));
  EXPECT_THAT(resolve("abs").nodes, ElementsAre("benchmark/test_abs.py::test_a"));
}

TEST_F(FlagGemsTest, UnderscoreIdsFindTheirRenamedMark) {
  list_operators({"_flash", "flash", "_norm", "norm", "_lone"});
  benchmark("flash", marked("underscore_flash", "test_under") + marked("flash", "test_plain"));
  benchmark("norm", marked("norm", "test_norm"));
  benchmark("lone", marked("lone", "test_lone"));
  Resolution const renamed = resolve("_flash");
  EXPECT_THAT(renamed.nodes, ElementsAre("benchmark/test_flash.py::test_under"));
  EXPECT_FALSE(renamed.shared_with_other_id);
  Resolution const shared = resolve("_norm");
  EXPECT_THAT(shared.nodes, ElementsAre("benchmark/test_norm.py::test_norm"));
  EXPECT_TRUE(shared.shared_with_other_id);
  EXPECT_THAT(shared.notes, Contains(HasSubstr("'norm'")));
  EXPECT_FALSE(resolve("_lone").shared_with_other_id);
  EXPECT_FALSE(resolve("norm").shared_with_other_id);
}

TEST_F(FlagGemsTest, FallsBackInOrder) {
  write("conf/operators.yaml",
        "ops:\n  - id: literal\n    for: [Alias.X]\n  - id: aliased\n    for: [none.at_all, "
        "Alias.X]\n"
        "  - id: stem\n  - id: tail\n");
  benchmark("a", "@pytest.mark.other\ndef test_literal():\n  run(op_name='literal')\n");
  benchmark("b", marked("alias_x", "test_alias"));
  benchmark("literal", marked("unrelated", "test_by_stem"));
  benchmark("stem", marked("third", "test_two") + "def test_one(): pass\n");
  benchmark("long_tail", "def test_free(): pass\n" + marked("taken", "test_taken"));
  Resolution const literal = resolve("literal");
  EXPECT_EQ(literal.how, "op_name literal");
  EXPECT_THAT(literal.nodes, ElementsAre("benchmark/test_a.py::test_literal"));
  EXPECT_THAT(literal.notes, Contains(HasSubstr("files its results under 'other'")));
  Resolution const aliased = resolve("aliased");
  EXPECT_EQ(aliased.how, "alias as mark");
  EXPECT_THAT(aliased.nodes, ElementsAre("benchmark/test_b.py::test_alias"));
  EXPECT_THAT(aliased.notes, Contains(HasSubstr("Alias.X")));
  EXPECT_EQ(resolve("stem").how, "file name");
  EXPECT_THAT(resolve("stem").nodes,
              ElementsAre("benchmark/test_stem.py::test_one", "benchmark/test_stem.py::test_two"));
  EXPECT_THAT(resolve("tail").nodes, ElementsAre("benchmark/test_long_tail.py::test_free"));
}

TEST_F(FlagGemsTest, LeavesOutTheParallelVariantOnlyWhereThereIsAnother) {
  list_operators({"mm", "alone"});
  benchmark("mm", marked("mm", "test_mm"));
  benchmark("blas_perf_parallel", marked("mm", "test_blas") + marked("alone", "test_alone"));
  Resolution const mm = resolve("mm");
  EXPECT_THAT(mm.nodes, ElementsAre("benchmark/test_blas_perf_parallel.py::test_blas",
                                    "benchmark/test_mm.py::test_mm"));
  EXPECT_THAT(mm.default_nodes, ElementsAre("benchmark/test_mm.py::test_mm"));
  EXPECT_THAT(mm.notes, ElementsAre(HasSubstr("parallel variant")));
  EXPECT_THAT(resolve("alone").default_nodes,
              ElementsAre("benchmark/test_blas_perf_parallel.py::test_alone"));
}

TEST_F(FlagGemsTest, KeepsSeveralFilesAndSaysSo) {
  list_operators({"div"});
  benchmark("div", marked("div", "test_div"));
  benchmark("true_divide", marked("div", "test_true"));
  Resolution const found = resolve("div");
  EXPECT_EQ(found.default_nodes.size(), 2u);
  EXPECT_THAT(found.notes, ElementsAre(testing::AllOf(HasSubstr("ambiguous: in 2 files"),
                                                      HasSubstr("benchmark/test_true_divide.py"))));
}

TEST_F(FlagGemsTest, AMarkWithoutACatalogueIdResolves) {
  list_operators({"abs"});
  benchmark("router_gemm", marked("router_gemm", "test_it") + "def test_loose(): pass\n");
  Resolution const found = resolve("router_gemm");
  EXPECT_THAT(found.nodes, ElementsAre("benchmark/test_router_gemm.py::test_it"));
  EXPECT_THAT(found.notes, ElementsAre("mark without a catalogue id"));
  EXPECT_FALSE(resolve("loose").is_resolved());
}

TEST_F(FlagGemsTest, UnresolvedSaysWhyAndSuggests) {
  list_operators({"huber", "huber_out", "scalar_", "and_scalar", "zzz"});
  benchmark("huber", marked("huber", "test_huber"));
  benchmark("and", marked("bitwise_and_scalar", "test_and"));
  write("tests/test_huber.py", kHead + marked("huber_out", "test_out"));
  Resolution const out = resolve("huber_out");
  EXPECT_FALSE(out.is_resolved());
  EXPECT_THAT(out.nodes, IsEmpty());
  EXPECT_THAT(out.suggestions, ElementsAre("huber"));
  EXPECT_THAT(out.problem,
              testing::AllOf(HasSubstr("no benchmark of 'huber_out'"),
                             HasSubstr("tests/test_huber.py::test_out"), HasSubstr("try 'huber'")));
  EXPECT_EQ(out.problem.find('\n'), std::string::npos);
  EXPECT_THAT(resolve("and_scalar").suggestions, ElementsAre("bitwise_and_scalar"));
  Resolution const none = resolve("zzz");
  EXPECT_THAT(none.suggestions, IsEmpty());
  EXPECT_THAT(none.problem, HasSubstr("TEST_NODE"));
}

TEST_F(FlagGemsTest, UnknownAndImpossibleIdsSaySo) {
  list_operators({"softmax"});
  Resolution const typo = resolve("sofmax");
  EXPECT_THAT(typo.problem, HasSubstr("Did you mean 'softmax'?"));
  EXPECT_THAT(typo.suggestions, ElementsAre("softmax"));
  for (std::string const id : {"", "..", "a/b", "../../x", "a b", "a\n"}) {
    EXPECT_THAT(resolve(id).problem, HasSubstr("cannot be an operator id")) << id;
    EXPECT_FALSE(is_valid_operator_id(id)) << id;
  }
  EXPECT_TRUE(is_valid_operator_id("_a.B-9"));
}

TEST_F(FlagGemsTest, AFileThatDoesNotParseIsNamedWhereItMatters) {
  list_operators({"abs", "mul"});
  benchmark("abs", "def test_x(:\n");
  benchmark("mul", marked("mul", "test_mul"));
  FlagGemsCorpus const corpus = open();
  EXPECT_THAT(corpus.notes(), ElementsAre(HasSubstr("benchmark/test_abs.py:2 does not parse")));
  EXPECT_THAT(corpus.resolve("abs", NodeKind::benchmark).notes,
              ElementsAre(HasSubstr("benchmark/test_abs.py:2 does not parse")));
  EXPECT_THAT(corpus.resolve("mul", NodeKind::benchmark).notes, IsEmpty());
}

TEST_F(FlagGemsTest, SurvivesLinksAndOddNames) {
  list_operators({"abs"});
  fs::create_symlink("test_loop.py", root_ / "benchmark" / "test_loop.py");
  fs::create_directory_symlink(".", root_ / "benchmark" / "again");
  fs::create_directories(root_ / "benchmark" / "test_folder.py");
  benchmark("nested/test_abs", "");
  write("benchmark/deep/test_abs.py", kHead + marked("abs", "test_abs"));
  write("benchmark/.hidden/test_abs.py", kHead + marked("abs", "test_abs"));
  write("benchmark/helper.py", kHead + marked("abs", "test_abs"));
  write("benchmark/test_\xff.py", "");
  FlagGemsCorpus const corpus = open();
  EXPECT_THAT(corpus.resolve("abs", NodeKind::benchmark).nodes,
              ElementsAre("benchmark/deep/test_abs.py::test_abs"));
  EXPECT_THAT(corpus.notes(), Contains(HasSubstr("test_loop.py")));
  EXPECT_THAT(corpus.notes(), Contains(HasSubstr("no plain text")));
}

TEST_F(FlagGemsTest, MakesCasesOfTheDefaultNodes) {
  write("conf/operators.yaml", "ops:\n  - id: mm\n    stages: [alpha: '1']\n  - id: mm_out\n");
  benchmark("mm", marked("mm", "test_mm"));
  benchmark("x_parallel", marked("mm", "test_all"));
  FlagGemsCorpus const corpus = open();
  ProviderCase const mm = corpus.make_case("mm", NodeKind::benchmark);
  EXPECT_EQ(mm.op, "mm");
  EXPECT_EQ(mm.provider, "flaggems");
  EXPECT_EQ(mm.stage, "alpha");
  EXPECT_EQ(mm.problem, "");
  EXPECT_THAT(mm.nodes, ElementsAre("benchmark/test_mm.py::test_mm"));
  ProviderCase const out = corpus.make_case("mm_out", NodeKind::benchmark);
  EXPECT_THAT(out.nodes, IsEmpty());
  EXPECT_NE(out.problem, "");
  EXPECT_THAT(out.suggestions, ElementsAre("mm"));
}

TEST_F(FlagGemsTest, RefusesWhatIsNoCorpus) {
  auto const error_of = [&](fs::path const& root) {
    OpenOptions other = options();
    other.root = root;
    Result<FlagGemsCorpus> const corpus = FlagGemsCorpus::open(other);
    EXPECT_FALSE(corpus);
    EXPECT_EQ(corpus.error().kind, ErrorKind::environment);
    return corpus.error().text;
  };
  EXPECT_THAT(error_of(folder_ / "none"), HasSubstr("no such folder"));
  EXPECT_THAT(error_of(""), HasSubstr("no such folder"));
  EXPECT_THAT(error_of(folder_), testing::AllOf(HasSubstr("it has no conf/operators.yaml"),
                                                HasSubstr("pass the folder that holds")));
  fs::remove_all(root_ / "benchmark");
  EXPECT_THAT(error_of(root_), HasSubstr("it has no folder benchmark/"));
}

TEST_F(FlagGemsTest, SaysWhereTheCatalogueIsNoYaml) {
  write("conf/operators.yaml", "ops:\n  - id: a\n  - id: [\n");
  Result<FlagGemsCorpus> const broken = FlagGemsCorpus::open(options());
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().text, HasSubstr("conf/operators.yaml:4"));
  write("conf/operators.yaml", "- id: a\n");
  Result<FlagGemsCorpus> const other = FlagGemsCorpus::open(options());
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text, HasSubstr("no list 'ops'"));
}

}  // namespace
}  // namespace zl::provider
