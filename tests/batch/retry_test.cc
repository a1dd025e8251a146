#include "batch/retry.h"

#include <gmock/gmock.h>

namespace zl::batch {
namespace {

using results::Status;
using testing::ElementsAre;

class RetryTest : public testing::Test {
 protected:
  std::optional<Retry> after(Status status, std::string const& reason = "") {
    results::OpResult result;
    result.status = status;
    result.reason = reason;
    return retry_of(result, state_, facts_);
  }
  results::OpState state_;
  AttemptFacts facts_;
};

TEST_F(RetryTest, WhatWouldOnlyBeTheSameAgainIsNotTriedAgain) {
  facts_.is_corpus = facts_.could_capture = facts_.was_beside_others = true;
  for (Status const status :
       {Status::passed, Status::skipped, Status::no_numbers, Status::timeout, Status::log_overflow,
        Status::protocol_error, Status::wrong_vendor, Status::unresolved, Status::not_started,
        Status::interrupted, Status::failed, Status::partial}) {
    EXPECT_FALSE(after(status, "AssertionError: wrong")) << to_text(status);
  }
}

TEST_F(RetryTest, ACrashIsTriedAgainWithoutWhatMayHaveCausedIt) {
  EXPECT_FALSE(after(Status::crashed)) << "a native operator has neither cache nor graph";
  facts_.is_corpus = true;
  EXPECT_THAT(after(Status::crashed)->changes, ElementsAre("private_cache"));
  facts_.could_capture = true;
  EXPECT_THAT(after(Status::crashed)->changes, ElementsAre("private_cache", "direct_timer"));
  facts_.trial = {false, true, true};
  EXPECT_FALSE(after(Status::crashed)) << "it was tried";
}

TEST_F(RetryTest, MemoryThatTheOthersHeldIsWorthATryAlone) {
  EXPECT_FALSE(after(Status::failed, "OutOfMemoryError: no")) << "nobody else was there";
  facts_.was_beside_others = true;
  EXPECT_THAT(after(Status::failed, "OutOfMemoryError: no")->changes, ElementsAre("alone"));
  results::Case lost;
  lost.status = results::CaseStatus::failed;
  lost.error = "RuntimeError: HIP out of memory. Tried to allocate";
  state_.cases = {lost};
  EXPECT_THAT(after(Status::partial)->changes, ElementsAre("alone"));
  facts_.trial.is_alone = true;
  EXPECT_FALSE(after(Status::partial));
}

TEST_F(RetryTest, WhatTheSystemKilledIsTriedAloneIfItWasNot) {
  facts_.is_killed_by_system = facts_.is_corpus = true;
  EXPECT_FALSE(after(Status::crashed));
  facts_.was_beside_others = true;
  EXPECT_THAT(after(Status::crashed)->changes, ElementsAre("alone"));
}

TEST_F(RetryTest, ALostDeviceSendsItElsewhereButNotForEver) {
  facts_.has_lost_device = true;
  EXPECT_THAT(after(Status::failed)->changes, ElementsAre("another_device"));
  EXPECT_THAT(after(Status::interrupted)->changes, ElementsAre("another_device"));
  EXPECT_FALSE(after(Status::passed)) << "it was done before";
  state_.earlier.resize(2);
  EXPECT_FALSE(after(Status::failed)) << "an operator must not take all devices with it";
}

TEST_F(RetryTest, TheNextTrialFollowsFromTheLogAlone) {
  results::AttemptEnded first;
  first.attempt = 1;
  first.status = Status::crashed;
  first.reason = "signal 11";
  first.changes = {"private_cache", "direct_timer"};
  results::AttemptEnded second = first;
  second.attempt = 2;
  second.changes = {"alone"};
  Trial const trial = next_trial({first, second});
  EXPECT_TRUE(trial.is_alone && trial.has_private_cache && trial.has_direct_timer);
  EXPECT_FALSE(next_trial({first}).is_alone);
  EXPECT_EQ(told({first}), "attempt 1 crashed: signal 11; again with private_cache, direct_timer");
}

}  // namespace
}  // namespace zl::batch
