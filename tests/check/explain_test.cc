#include "check/explain.h"

#include <gmock/gmock.h>

#include "check/explain_run.h"
#include "example.h"

namespace zl::check {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

Explanation explain_log(std::string const& log) {
  return explain_example(built_in(), log);
}

std::string why_not(Explanation const& explanation, std::string const& rule) {
  for (SetAside const& one : explanation.set_aside) {
    if (one.rule == rule) return one.why;
  }
  return "(it is not set aside)";
}

TEST(Explain, AnUnknownExceptionStaysUnknownAndIsShownWithItsPlace) {
  Explanation const found = explain_log(
      "noise\nTraceback (most recent call last):\n  File \"/c/ops/a.py\", line 7, in f\n    g()\n"
      "FancyError: never seen\n");
  EXPECT_EQ(found.cause(), "unknown");
  EXPECT_EQ(found.sureness, Sureness::none);
  ASSERT_TRUE(found.first_exception);
  EXPECT_EQ(found.first_exception->line, 5u);
  EXPECT_EQ(found.first_exception->text, "FancyError: never seen");
  EXPECT_THAT(found.place, HasSubstr("/c/ops/a.py"));
  EXPECT_THAT(to_text(found), HasSubstr("explain --probe"));
}

TEST(Explain, TheFirstExceptionOfAChainCounts) {
  Explanation const found = explain_log(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n"
      "RuntimeError: Failed to find C compiler.\n"
      "During handling of the above exception, another exception occurred:\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    h()\n"
      "OSError: [Errno 24] Too many open files\n");
  EXPECT_EQ(found.cause(), "compiler F55");
  EXPECT_THAT(why_not(found, "F22"), HasSubstr("later exception of the same chain"));
}

TEST(Explain, ALaterExceptionOfAChainCountsWhenTheFirstSaysNothing) {
  Explanation const found = explain_log(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    d[1]\n"
      "KeyError: 1\nDuring handling of the above exception, another exception occurred:\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    h()\n"
      "RuntimeError: Failed to find C compiler.\n");
  EXPECT_EQ(found.cause(), "compiler F55");
  EXPECT_EQ(found.sureness, Sureness::likely);
}

TEST(Explain, WhatComesAfterADeviceFaultIsCollateral) {
  Explanation const found = explain_log(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n"
      "RuntimeError: CUDA error: an illegal memory access was encountered\n"
      "CUDA out of memory. Tried to allocate 2.00 GiB\n"
      "Traceback (most recent call last):\n  File \"b.py\", line 1, in f\n    g()\n"
      "RuntimeError: CUDA error: no kernel image is available for execution on the device\n");
  EXPECT_EQ(found.cause(), "device-fault F23");
  EXPECT_EQ(found.evidence.front().line, 4u);
  EXPECT_EQ(found.collateral_failures, 1u);
  EXPECT_THAT(why_not(found, "F59"), HasSubstr("collateral"));
  EXPECT_THAT(why_not(found, "OOM"), HasSubstr("collateral: the device was lost in line 4"));
}

TEST(Explain, AnEarlierClassGoesBeforeALaterOne) {
  Explanation const found = explain_log(
      "E   RuntimeError: PassManager::run failed\nE   Error 802: system not yet initialized\n");
  EXPECT_EQ(found.cause(), "driver F63");
  EXPECT_THAT(why_not(found, "F43"), HasSubstr("driver goes before class compiler"));
}

TEST(Explain, AWarningIsNoCauseOfAFailureBesideIt) {
  Explanation const found = explain_log(
      "x.py:3: UserWarning: database is locked, trying again\n"
      "E   RuntimeError: PassManager::run failed\n");
  EXPECT_EQ(found.cause(), "compiler F43");
  EXPECT_THAT(why_not(found, "F77"), HasSubstr("warning"));
}

TEST(Explain, AWarningAloneIsAPossibleCause) {
  Explanation const found = explain_log("x.py:3: UserWarning: database is locked, trying again\n");
  EXPECT_EQ(found.cause(), "cache F77");
  EXPECT_EQ(found.sureness, Sureness::possible);
}

TEST(Explain, ALineOfSourceIsNoEvidence) {
  Explanation const found = explain_log(
      "==== FAILURES ====\n____ test_x ____\n    def f():\n"
      "        raise RuntimeError('Failed to find C compiler')\n>       g()\nE   ValueError: "
      "odd\n");
  EXPECT_NE(found.sureness, Sureness::certain);
  EXPECT_NE(found.sureness, Sureness::likely);
  ASSERT_TRUE(found.first_exception);
  EXPECT_EQ(found.first_exception->text, "ValueError: odd");
}

TEST(Explain, OnlyTheFirstFailingTestCounts) {
  Explanation const found = explain_log(
      "==== FAILURES ====\n____ test_a ____\na.py:3: in f\nE   RuntimeError: Failed to find C "
      "compiler\n____ test_b ____\nb.py:3: in f\nE   OSError: [Errno 24] Too many open files\n"
      "==== short test summary info ====\nFAILED a - RuntimeError\n");
  EXPECT_EQ(found.cause(), "compiler F55");
  EXPECT_THAT(why_not(found, "F22"), HasSubstr("later failure"));
}

TEST(Explain, ContradictoryFactsSetARuleAsideAndSayWhich) {
  Explanation const found =
      explain_log("@ phase=candidate\nE   ImportError: /x/_C.abi3.so: undefined symbol: _Z\n");
  EXPECT_EQ(found.cause(), "unknown");
  EXPECT_THAT(why_not(found, "F71"), HasSubstr("here it is candidate"));
}

TEST(Explain, AFactThatIsNotKnownMakesLessSure) {
  std::string const log =
      "E   NotImplementedError: Could not run 'aten::x' with arguments from "
      "the 'musa' backend.\n";
  EXPECT_EQ(explain_log("@ phase=baseline\n" + log).sureness, Sureness::certain);
  EXPECT_EQ(explain_log(log).sureness, Sureness::likely);
}

TEST(Explain, RepeatedLinesAreCountedAndNotListed) {
  std::string log;
  for (int i = 0; i < 5000; ++i)
    log += "error: LLVM Translation failed for operation: builtin.unrealized_conversion_cast\n";
  Explanation const found = explain_log(log);
  EXPECT_EQ(found.cause(), "hang F45");
  ASSERT_EQ(found.evidence.size(), 1u);
  EXPECT_EQ(found.evidence.front().repeats, 4999u);
}

TEST(Explain, AnEmptyLogIsNoEvidence) {
  EXPECT_EQ(explain_log("").cause(), "no-evidence empty-log");
  EXPECT_EQ(explain_log("@ status=timeout phase=baseline\n").cause(), "hang F92");
}

TEST(BatchFacts, ATrivialOperatorThatFailsAlikeMeansTheStack) {
  results::BatchState batch;
  results::OpResult trivial;
  trivial.op = "abs";
  trivial.status = results::Status::failed;
  trivial.cause = "compiler F55";
  batch.apply(results::RunEnded{trivial});
  results::OpResult result = trivial;
  result.op = "sort";
  std::string const log = "E   RuntimeError: Failed to find C compiler.";
  Explanation const alone = explain_log(log);
  ASSERT_EQ(alone.cause(), trivial.cause);
  Facts facts;
  add_batch_facts(facts, batch, result, alone);
  Explanation const together =
      explain(built_in(), "sort", facts, {read_text(built_in(), log, "l")});
  EXPECT_EQ(together.cause(), "stack trivial-alike");
  EXPECT_THAT(together.set_aside, Contains(Field(&SetAside::rule, "F55")));

  results::OpResult good = trivial;
  good.op = "add";
  good.status = results::Status::passed;
  good.cause.clear();
  batch.apply(results::RunEnded{good});
  Facts with_a_pass;
  add_batch_facts(with_a_pass, batch, result, alone);
  EXPECT_EQ(with_a_pass.text("trivial_alike"), "no");
  EXPECT_EQ(with_a_pass.text("others_passed"), "1");
}

}  // namespace
}  // namespace zl::check
