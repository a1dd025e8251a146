// The operators that come with zlbench, and what their checks are worth.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>

#include "common/matmul.h"
#include "common/problem.h"
#include "native/library.h"
#include "native/parent.h"

namespace zl::native {
namespace {

std::string corpus_library(std::string const& name) {
  return std::string(ZL_BINARY_DIR) + "/lib/zlbench/operators/" + name + ".so";
}

class Corpus : public testing::TestWithParam<char const*> {};

TEST_P(Corpus, HasFourShapesOfTwoDtypesInEachOperator) {
  auto const library = Library::load(corpus_library(GetParam()));
  ASSERT_TRUE(library) << library.error().text;
  for (Operator const& op : library->operators()) {
    std::map<std::string, std::set<std::string>> shapes;
    for (Case const& item : op.cases) shapes[item.dtype].insert(item.shape_text);
    EXPECT_GE(shapes.size(), 2u) << op.name;
    for (auto const& [dtype, texts] : shapes) EXPECT_GE(texts.size(), 4u) << op.name << dtype;
    EXPECT_FALSE(op.description.empty()) << op.name;
  }
}

// Every case against float64, both sides, in the process that does it for users.
TEST_P(Corpus, IsRightInEveryCase) {
  auto const library = Library::load(corpus_library(GetParam()));
  ASSERT_TRUE(library) << library.error().text;
  // LeakSanitizer itself crashes on the thread-local memory of oneDNN's gemm; other faults still
  // show.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  for (Operator const& op : library->operators()) {
    Parent run({corpus_library(GetParam()), op.name}, {}, false);
    EXPECT_EQ(run.wait().code, 0) << op.name << ":\n" << run.log();
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, Corpus, testing::Values("cpu_blas", "cpu_dnn"),
                         [](auto const& instance) { return std::string(instance.param); });

TEST(CorpusLibraries, HaveTheOperatorsThatMatterAndNoNameTwice) {
  std::multiset<std::string> names;
  for (char const* const name : {"cpu_blas", "cpu_dnn"}) {
    auto const library = Library::load(corpus_library(name));
    ASSERT_TRUE(library) << library.error().text;
    for (Operator const& op : library->operators()) names.insert(op.name);
  }
  for (char const* const wanted :
       {"gemm", "softmax", "layer_norm", "add", "gelu", "sum", "transpose", "matmul"}) {
    EXPECT_EQ(names.count(wanted), 1u) << wanted;
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

// A problem that is right but for what a test puts into its candidate's output.
class SmallMatmul : public corpus::MatmulProblem<float, float> {
 public:
  using MatmulProblem::MatmulProblem;
  void candidate() override {
    std::vector<float> row;
    corpus::plain_matmul<float>(mnk_, a_.data(), b_.data(), output(ZLBENCH_CANDIDATE), row);
  }
  float& first_output() { return *output(ZLBENCH_CANDIDATE); }
  // One term of the sum that makes the first output.
  float one_term() const { return a_[3] * b_[static_cast<std::size_t>(3 * mnk_[1])]; }
};

class CorpusCheck : public testing::Test {
 protected:
  zlbench_check check() {
    zlbench_check result{};
    problem_.check(ZLBENCH_CANDIDATE, result);
    return result;
  }
  void SetUp() override { problem_.candidate(); }

  corpus::Random random_{1};
  SmallMatmul problem_{corpus::matmul_case<float, float>({8, 8, 512}), random_};
};

TEST_F(CorpusCheck, PassesARightResult) {
  zlbench_check const result = check();
  EXPECT_EQ(result.passed, 1);
  EXPECT_GT(result.max_rel_error, 0);  // f32 is not float64
  EXPECT_LT(result.tolerance, 1e-4);
}

TEST_F(CorpusCheck, SeesOneMissingTermOf512) {
  problem_.first_output() -= problem_.one_term();
  EXPECT_EQ(check().passed, 0);
}

TEST_F(CorpusCheck, SeesWhatIsNotANumber) {
  problem_.first_output() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(check().passed, 0);
  problem_.first_output() = std::numeric_limits<float>::infinity();
  EXPECT_EQ(check().passed, 0);
}

TEST(CorpusValues, Bf16RoundsToNearestEven) {
  using corpus::to_bf16, corpus::to_float;
  EXPECT_EQ(to_float(to_bf16(1.0f)), 1.0f);
  EXPECT_EQ(to_float(to_bf16(-2.5f)), -2.5f);
  EXPECT_EQ(to_float(to_bf16(1.0f + 0x1p-8f)), 1.0f);                // half-way, down to even
  EXPECT_EQ(to_float(to_bf16(1.0f + 3 * 0x1p-8f)), 1.0f + 0x1p-6f);  // half-way, up to even
  EXPECT_EQ(to_float(to_bf16(1.0f + 0x1p-8f + 0x1p-20f)), 1.0f + 0x1p-7f);
}

TEST(CorpusValues, RandomValuesFillTheirRange) {
  corpus::Random random(7);
  auto const floats = corpus::random_values<float>(10'000, random);
  auto const [low, high] = std::minmax_element(floats.begin(), floats.end());
  EXPECT_GE(*low, -1);
  EXPECT_LT(*low, -0.99);
  EXPECT_LE(*high, 1);
  EXPECT_GT(*high, 0.99);
  auto const whole = corpus::random_values<std::int8_t>(10'000, random);
  auto const [least, most] = std::minmax_element(whole.begin(), whole.end());
  EXPECT_EQ(*least, -63);
  EXPECT_EQ(*most, 63);
}

}  // namespace
}  // namespace zl::native
