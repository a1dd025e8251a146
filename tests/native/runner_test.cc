#include "native/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/parent.h"
#include "timing/record_json.h"

namespace zl::native {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(Json const& message, char const* field) {
  return string_field(message, field).value_or("(none)");
}

TEST(Runner, SpeaksTheProtocolInOrder) {
  Parent parent({fake("good"), "copy.again"});
  auto const messages = parent.run_to_end();
  EXPECT_EQ(parent.wait().code, 0);
  EXPECT_THAT(types_of(messages),
              ElementsAre("hello", "identity", "case_begin", "lease_wanted", "identity",
                          "measurement", "measurement", "lease_released", "case_end", "bye"));
  Json const& hello = messages.front();
  EXPECT_EQ(hello["protocol"], 1);
  EXPECT_EQ(hello["pid"], parent.child().pid());
  EXPECT_EQ(hello["role"], "native");
  EXPECT_TRUE(hello["identity"].contains("cpus_online"));
  EXPECT_EQ(messages[1]["identity"]["library"], "good");
  EXPECT_EQ(messages[1]["identity"]["library_version"], "1.2");
  EXPECT_EQ(messages[1]["identity"]["library_note"], "plain C");
  Json const& bye = messages.back();
  EXPECT_EQ(bye["exit_status"], 0);
  EXPECT_EQ(bye["collected"], 1);
  EXPECT_EQ(bye["passed"], 1);
  EXPECT_EQ(bye["failed"], 0);
  EXPECT_FALSE(bye.contains("reason"));
}

// The measurement carries its samples, and says what they say.
void expect_record_gives(Json const& measurement) {
  auto const record = timing::parse_record(to_line(measurement["timing"]["record"]));
  ASSERT_TRUE(record);
  auto const summary = timing::summarise(*record);
  ASSERT_TRUE(summary);
  EXPECT_EQ(measurement["value_ns"], summary->value_ns);
  EXPECT_EQ(measurement["samples"], summary->samples);
  EXPECT_EQ(measurement["timing"]["summary"], *parse_json(timing::to_json_line(*summary)));
  EXPECT_GE(summary->visits, 2u);
}

TEST(Runner, MeasuresBothSidesOfEachCase) {
  Parent parent({fake("good"), "copy"});
  auto const messages = parent.run_to_end();
  auto const begins = of_type(messages, "case_begin");
  ASSERT_EQ(begins.size(), 3u);
  EXPECT_EQ(begins[0]["node"], "good::copy");
  EXPECT_EQ(begins[0]["shape_text"], "1000");
  EXPECT_EQ(begins[1]["shape_text"], "fifty x hundred");
  EXPECT_EQ(begins[2]["dtype"], "bf16");
  EXPECT_EQ(begins[2]["shape"], Json({2, 100, 100}));
  auto const measurements = of_type(messages, "measurement");
  ASSERT_EQ(measurements.size(), 6u);
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    Json const& one = measurements[i];
    EXPECT_EQ(one["side"], i % 2 == 0 ? "baseline" : "candidate");
    EXPECT_EQ(one["caliber"], "host-p5/warm/net/burst/v1");
    EXPECT_GT(one["value_ns"], 0);
    EXPECT_LE(one["ci_low_ns"], one["value_ns"]);
    EXPECT_GE(one["ci_high_ns"], one["value_ns"]);
    EXPECT_GE(one["samples"], 64);
    EXPECT_EQ(one["raw"]["unit"], "ns");
    expect_record_gives(one);
  }
  Json const end = of_type(messages, "case_end")[0];
  double const candidate_ns = measurements[1]["value_ns"];
  EXPECT_NEAR(end["metrics"]["gbps"].get<double>(), 8000 / candidate_ns, 1e-9);
  EXPECT_NEAR(end["metrics"]["tflops"].get<double>(), 1000 / candidate_ns / 1e3, 1e-9);
  EXPECT_EQ(end["metrics"]["max_rel_error"], 0);
  double const speedup = measurements[0]["value_ns"].get<double>() / candidate_ns;
  EXPECT_LE(end["metrics"]["speedup_low"].get<double>(), speedup);
  EXPECT_GE(end["metrics"]["speedup_high"].get<double>(), speedup);
  EXPECT_FALSE(of_type(messages, "case_end")[2]["metrics"].contains("gbps"));
}

struct FailingCase {
  char const* op;
  char const* phase;
  char const* error;
};

class RunnerFailure : public testing::TestWithParam<FailingCase> {};

TEST_P(RunnerFailure, IsNamedWithItsPhaseAndMeasuresNothing) {
  Parent parent({fake("faulty_operators"), GetParam().op});
  auto const messages = parent.run_to_end();
  EXPECT_EQ(parent.wait().code, 1);
  EXPECT_TRUE(of_type(messages, "measurement").empty());
  auto const ends = of_type(messages, "case_end");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]["status"], "failed");
  EXPECT_EQ(text_of(ends[0], "phase"), GetParam().phase);
  EXPECT_THAT(text_of(ends[0], "error"), HasSubstr(GetParam().error));
  EXPECT_EQ(messages.back()["failed"], 1);
  EXPECT_THAT(text_of(messages.back(), "reason"), HasSubstr(GetParam().error));
  EXPECT_THAT(parent.log(), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Operators, RunnerFailure,
    testing::Values(FailingCase{"overlong", "input", "CreateError: xxx"},
                    FailingCase{"wrong", "check", "the candidate differs from the float64"},
                    FailingCase{"wrong_baseline", "check", "the baseline differs from the float64"},
                    FailingCase{"nan", "check", "relative error nan"},
                    FailingCase{"lies", "check", "relative error 1"},
                    FailingCase{"nan_check", "check", "relative error nan"},
                    FailingCase{"negative_check", "check", "relative error -1"},
                    FailingCase{"fails_silently", "candidate", "gave no reason"},
                    FailingCase{"failing_check", "check", "could not be made"},
                    FailingCase{"drifts", "check", "after timing"},
                    FailingCase{"fails", "candidate", "the kernel would not start"},
                    FailingCase{"fails_later", "candidate", "CallError"}),
    [](auto const& instance) { return std::string(instance.param.op); });

TEST(Runner, AWrongResultIsNotTimed) {
  Parent parent({fake("faulty_operators"), "wrong"});
  EXPECT_TRUE(of_type(parent.run_to_end(), "lease_wanted").empty());
}

TEST(Runner, OneCaseThatFailsLosesNoOther) {
  Parent parent({fake("faulty_operators"), "create_fails_once"});
  auto const messages = parent.run_to_end();
  auto const ends = of_type(messages, "case_end");
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(ends[0]["status"], "ok");
  EXPECT_EQ(ends[1]["status"], "failed");
  EXPECT_EQ(text_of(ends[1], "phase"), "input");
  EXPECT_EQ(text_of(ends[1], "error"), "CreateError: no memory for the second case");
  EXPECT_EQ(ends[2]["status"], "ok");
  EXPECT_EQ(of_type(messages, "measurement").size(), 4u);
  EXPECT_EQ(messages.back()["passed"], 2);
  EXPECT_EQ(messages.back()["exit_status"], 1);
}

TEST(Runner, ACaseThatTheMachineCannotRunIsSkipped) {
  Parent parent({fake("faulty_operators"), "unsupported"});
  auto const messages = parent.run_to_end();
  EXPECT_EQ(parent.wait().code, 0);
  auto const ends = of_type(messages, "case_end");
  EXPECT_EQ(ends[0]["status"], "skipped");
  EXPECT_EQ(ends[0]["error"], "needs a better CPU");
  EXPECT_EQ(ends[1]["status"], "ok");
  EXPECT_EQ(messages.back()["skipped"], 1);
}

TEST(Runner, ACrashLeavesWhatWasSaidBefore) {
  Parent parent({fake("faulty_operators"), "crashes"});
  auto const messages = parent.run_to_end();
  EXPECT_THAT(types_of(messages), ElementsAre("hello", "identity", "case_begin"));
  auto const status = parent.wait();
  // A sanitizer turns the signal into an exit status of its own.
  EXPECT_TRUE(status.signal == SIGSEGV || status.code.value_or(0) != 0) << status.describe();
}

TEST(Runner, AHangingCandidateHasBegunItsCaseAndCanBeKilled) {
  Parent parent({fake("faulty_operators"), "hangs"});
  EXPECT_EQ(parent.read_until("case_begin").back()["type"], "case_begin");
  EXPECT_FALSE(parent.next(100));
  parent.child().signal_group(SIGKILL);
  EXPECT_EQ(parent.wait().signal, SIGKILL);
}

TEST(Runner, StopEndsATimingAndTheRun) {
  Parent parent({fake("faulty_operators"), "restless"});
  EXPECT_EQ(parent.read_until("lease_wanted").back()["type"], "lease_wanted");
  parent.grant();
  parent.read_until("identity");
  EXPECT_FALSE(parent.next(50));  // it measures, and would for two seconds
  parent.say("{\"type\": \"stop\"}\n");
  auto const messages = parent.run_to_end();
  EXPECT_THAT(types_of(messages), ElementsAre("lease_released", "case_end", "bye"));
  EXPECT_EQ(messages[1]["status"], "skipped");
  EXPECT_THAT(text_of(messages[1], "error"), HasSubstr("stopped"));
  EXPECT_EQ(messages[2]["collected"], 2);
  EXPECT_EQ(messages[2]["skipped"], 1);
  EXPECT_EQ(parent.wait().code, 1);
}

TEST(Runner, StopInsteadOfALease) {
  Parent parent({fake("good"), "copy"});
  parent.read_until("lease_wanted");
  parent.say("{\"type\": \"stop\"}\n");
  auto const messages = parent.run_to_end();
  EXPECT_TRUE(of_type(messages, "measurement").empty());
  EXPECT_EQ(text_of(messages.back(), "reason"), "stopped by the parent");
  EXPECT_EQ(parent.wait().code, 1);
}

TEST(Runner, WaitsForALeaseAsLongAsItTakes) {
  Parent parent({fake("good"), "copy.again"});
  parent.read_until("lease_wanted");
  EXPECT_FALSE(parent.next(200));
  parent.grant();
  EXPECT_EQ(of_type(parent.run_to_end(), "measurement").size(), 2u);
}

TEST(Runner, SkipsWhatItDoesNotKnow) {
  Parent parent({fake("good"), "copy.again"});
  parent.read_until("lease_wanted");
  parent.say("no json\n\n[1]\n{\"type\": 5}\n{}\n{\"type\": \"weather\"}\n{\"type\": \"lease_gr");
  EXPECT_FALSE(parent.next(50));  // half a line grants nothing
  parent.say("anted\", \"new_field\": 1}\n");
  EXPECT_EQ(of_type(parent.run_to_end(), "measurement").size(), 2u);
  EXPECT_EQ(parent.wait().code, 0);
}

TEST(Runner, AParentThatIsGoneAtOnceIsNoFailure) {
  Parent parent({fake("good"), "copy"});
  parent.close_channel();
  EXPECT_EQ(parent.wait().code, 0);
  EXPECT_THAT(parent.log(), testing::Not(HasSubstr("ok")));
}

TEST(Runner, AParentThatLeavesInsteadOfGrantingIsNoFailure) {
  Parent parent({fake("good"), "copy"});
  parent.read_until("lease_wanted");
  parent.close_channel();
  EXPECT_EQ(parent.wait().code, 0);
  EXPECT_THAT(parent.log(), HasSubstr("small: skipped"));
  EXPECT_THAT(parent.log(), testing::Not(HasSubstr("medium")));
}

TEST(Runner, WithoutAChannelItChecksAndTimesNothing) {
  Parent good({fake("good"), "copy"}, {}, false);
  EXPECT_EQ(good.wait().code, 0);
  EXPECT_THAT(good.log(), AllOf(HasSubstr("nothing is timed"), HasSubstr("large: skipped")));
  Parent wrong({fake("faulty_operators"), "wrong"}, {}, false);
  EXPECT_EQ(wrong.wait().code, 1);
}

TEST(Runner, ThePlanSelectsCases) {
  Parent parent({fake("good"), "copy"},
                R"({"format": 1, "nodes": ["good.so::copy"], "dtypes": ["float32"],
                    "shapes": {"mode": "small", "max_elements": 2000}})");
  auto const begins = of_type(parent.run_to_end(), "case_begin");
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(begins[0]["case"], "small");
  EXPECT_EQ(begins[0]["node"], "good.so::copy");
}

struct RefusedRun {
  char const* name;
  std::vector<std::string> words;
  std::optional<std::string> plan;
  int exit_status;
  char const* failed_in;
  char const* reason;
};

class RunnerRefusal : public testing::TestWithParam<RefusedRun> {};

TEST_P(RunnerRefusal, SaysWhy) {
  Parent parent(GetParam().words, GetParam().plan);
  auto const messages = parent.run_to_end();
  EXPECT_EQ(parent.wait().code, GetParam().exit_status);
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.front()["type"], "hello");
  Json const& bye = messages.back();
  EXPECT_EQ(bye["type"], "bye");
  EXPECT_EQ(bye["exit_status"], GetParam().exit_status);
  EXPECT_EQ(text_of(bye, "failed_in"), GetParam().failed_in);
  EXPECT_THAT(text_of(bye, "reason"), HasSubstr(GetParam().reason));
  EXPECT_THAT(parent.log(), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Runs, RunnerRefusal,
    testing::Values(
        RefusedRun{"UnknownOperator", {fake("good"), "copi"}, {}, 4, "collection", "mean 'copy'"},
        RefusedRun{"NoPlugIn", {fake("no_entry"), "x"}, {}, 4, "import", "does not export"},
        RefusedRun{"NoFile", {"/nowhere.so", "x"}, {}, 4, "import", "/nowhere.so"},
        RefusedRun{"PlanNoJson", {fake("good"), "copy"}, "{\"form", 4, "setup", "plan.json"},
        RefusedRun{
            "PlanOfLater", {fake("good"), "copy"}, "{\"format\": 2}", 4, "setup", "format 1"},
        RefusedRun{"NoSuchDtype",
                   {fake("good"), "copy"},
                   R"({"format": 1, "dtypes": "f64"})",
                   1,
                   "collection",
                   "no case of dtype f64; it has f32, bf16"}),
    [](auto const& instance) { return std::string(instance.param.name); });

TEST(Runner, WrongWordsAreAUsageError) {
  EXPECT_EQ(run_native_child({}), 2);
  EXPECT_EQ(run_native_child({"--list"}), 2);
  EXPECT_EQ(run_native_child({"a.so", "b", "c"}), 2);
}

}  // namespace
}  // namespace zl::native
