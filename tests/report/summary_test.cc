#include "report/summary.h"

#include <gmock/gmock.h>

namespace zl::report {
namespace {

using results::Status;
using testing::HasSubstr;
using testing::Not;

class SummaryTest : public testing::Test {
 protected:
  void add(std::string const& op, Status status, double duration_s,
           std::string const& reason = "") {
    results::OpResult result;
    result.op = op;
    result.status = status;
    result.duration_s = duration_s;
    result.reason = reason;
    state_.apply(results::RunEnded{result});
  }
  results::BatchState state_;
};

TEST_F(SummaryTest, CountsSlowestAndNothingToDoWhereAllIsWell) {
  add("abs", Status::passed, 2);
  add("gemm", Status::passed, 130);
  EXPECT_EQ(summary_text(state_, "/runs/x"),
            "2 operators: 2 passed\nslowest: gemm 2 min 10 s, abs 2.0 s\nresults: /runs/x\n");
}

TEST_F(SummaryTest, FailuresStandTogetherByTheirFirstCause) {
  add("add", Status::passed, 1);
  for (char const* op : {"abs", "exp", "sin"}) {
    add(op, Status::partial, 1,
        std::string("1 of 3 shapes failed; first in candidate: RuntimeError: no kernel (shape [") +
            op + "], f16); attempt 1 crashed: signal 11");
  }
  add("mm", Status::timeout, 9, "no end within 9 s, in phase candidate of case mm/1");
  std::string const text = summary_text(state_, "/runs/a b");
  EXPECT_THAT(text,
              HasSubstr("     3  partial: candidate: RuntimeError: no kernel: abs, exp, sin\n"));
  EXPECT_THAT(text, HasSubstr("     1  timeout: no end within 9 s, in phase candidate: mm\n"));
  EXPECT_THAT(text,
              HasSubstr("next: zlbench explain '/runs/a b'; zlbench show '/runs/a b' --cases"));
  EXPECT_THAT(text, Not(HasSubstr("signal 11")));
}

TEST_F(SummaryTest, AThousandFailuresStayAScreenful) {
  for (int i = 0; i < 1000; ++i) {
    add("op" + std::to_string(i), Status::failed, 1, "cause " + std::to_string(i % 50));
  }
  std::string const text = summary_text(state_, "/runs/x");
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 30);
  EXPECT_THAT(text, HasSubstr("and 14 more"));
  EXPECT_THAT(text, HasSubstr("and 40 more causes"));
}

}  // namespace
}  // namespace zl::report
