// The loop with real children (tests/fakes/children/child.py) and real files.
#include "batch/scheduler.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "base/text.h"
#include "processes.h"
#include "results/status_csv.h"
#include "run/fixture.h"

namespace zl::batch {
namespace {

using results::Status;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class Watcher : public results::Observer {
 public:
  void on_event(results::Event const& event) override {
    if (auto const* run = std::get_if<results::RunBegun>(&event)) {
      starts.push_back(run->op + "@" + run->device + "#" + std::to_string(run->attempt));
    }
    if (auto const* ended = std::get_if<results::RunEnded>(&event)) {
      ends.push_back(ended->result.op + ":" + std::string(results::to_text(ended->result.status)));
    }
  }
  void on_activity(std::vector<results::Activity> const& activities) override {
    most_at_once = std::max(most_at_once, activities.size());
    if (on_tick) on_tick(activities);
  }

  std::vector<std::string> starts;
  std::vector<std::string> ends;
  std::size_t most_at_once = 0;
  std::function<void(std::vector<results::Activity> const&)> on_tick;
};

class SchedulerTest : public testing::Test {
 protected:
  SchedulerSetup setup(std::vector<std::string> const& names, int devices) {
    SchedulerSetup made;
    made.request.name = "b";
    made.request.backend = run::host_backend().name;
    made.request.provider = "native";
    for (std::string const& name : names) {
      made.request.operations.push_back(run::fake_request(name, "").operation);
    }
    made.work = made.request.operations;
    made.plan = run::fake_request("", "");
    made.plan.caller["ZL_LOCKS"] = (folder_ / "locks").string();
    for (int i = 0; i < devices; ++i) {
      backend::Device device;
      device.index = i;
      made.devices.emplace_back(device);
    }
    made.paths.folder = folder_.path();
    EXPECT_TRUE(write_file_atomic(made.paths.request(), to_json_text(made.request)));
    return made;
  }
  // Behaves as `behaviour`; called so with a number, for there may be many.
  static provider::ProviderCase fake_operation(std::string const& behaviour,
                                               std::string const& number) {
    provider::ProviderCase operation = run::fake_request(behaviour, "").operation;
    operation.op = behaviour + "." + number;
    return operation;
  }
  // Of every operator, for the message of an expectation.
  std::string reasons() {
    std::string text;
    Result<StoredBatch> const stored = open_batch(folder_.path());
    for (results::OpState const& state : stored->state.operators()) {
      if (state.result) text += state.op + ": " + state.result->reason + "\n";
    }
    return text;
  }
  std::vector<std::string> status_lines() {
    return split(trim(*read_file(folder_ / "ops_status.csv")), '\n');
  }

  TempFolder folder_;
  Watcher watcher_;
};

TEST_F(SchedulerTest, EveryOperatorEndsWithOneResultAndAFailureStopsNobody) {
  Scheduler scheduler(setup({"crash", "good", "dies_at_once", "no_numbers", "one_case_fails"}, 1),
                      watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  EXPECT_THAT(watcher_.ends, ElementsAre("crash:crashed", "good:passed", "dies_at_once:failed",
                                         "no_numbers:no_numbers", "one_case_fails:partial"));
  EXPECT_EQ(watcher_.most_at_once, 1u);
  auto const lines = status_lines();
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], results::kStatusColumns);
  EXPECT_THAT(lines[2], testing::StartsWith("good,fake::good,passed,,"));
  // The log alone gives the same rows again.
  Result<StoredBatch> const stored = open_batch(folder_.path());
  ASSERT_EQ(stored->state.operators().size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(results::status_row(*stored->state.operators()[i].result), lines[i + 1]);
  }
  EXPECT_EQ(stored->state.ended()->exit_code, 1);
}

TEST_F(SchedulerTest, DevicesWorkAtTheSameTimeAndEachTakesOneChild) {
  Scheduler scheduler(setup({"slow", "good"}, 2), watcher_);
  EXPECT_TRUE(scheduler.run());
  EXPECT_THAT(watcher_.starts, ElementsAre("slow@0#1", "good@1#1"));
  EXPECT_EQ(watcher_.most_at_once, 2u);
}

TEST_F(SchedulerTest, AnOperatorWithoutANodeIsARowAndNeedsNoChild) {
  SchedulerSetup made = setup({"good", "lost"}, 1);
  made.work[1].problem = "no mark names it";
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_TRUE(scheduler.run());
  EXPECT_THAT(watcher_.ends, ElementsAre("lost:unresolved", "good:passed"));
  EXPECT_THAT(status_lines()[1], testing::HasSubstr("unresolved,no mark names it"));
}

TEST_F(SchedulerTest, AChildThatCannotStartIsAResultToo) {
  SchedulerSetup made = setup({"good"}, 1);
  made.plan.places.self = "/no/such/program";
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_TRUE(scheduler.run());
  EXPECT_THAT(watcher_.ends, ElementsAre("good:not_started"));
}

TEST_F(SchedulerTest, AnInterruptEndsEveryChildAndKeepsWhatIsDone) {
  pid_t child = 0;
  watcher_.on_tick = [&](std::vector<results::Activity> const& activities) {
    if (!activities.empty() && activities[0].op == "ignores_term" &&
        activities[0].phase == "candidate") {
      ::raise(SIGINT);
    }
  };
  {
    Scheduler scheduler(setup({"good", "ignores_term", "slow"}, 1), watcher_);
    EXPECT_EQ(*scheduler.run(), BatchEnd::interrupted);
  }
  EXPECT_THAT(watcher_.ends, ElementsAre("good:passed", "ignores_term:interrupted"));
  EXPECT_EQ(status_lines().size(), 2u);
  Result<StoredBatch> const stored = open_batch(folder_.path());
  child = static_cast<pid_t>(stored->state.find("ignores_term")->begun.pid);
  EXPECT_FALSE(is_alive(child)) << "no orphan";
  EXPECT_EQ(stored->state.ended()->exit_code, 130);

  // And it goes on where it was.
  SchedulerSetup again = setup({"good", "ignores_term", "slow"}, 1);
  again.state = stored->state;
  again.is_resumed = true;
  again.work = outstanding(again.request, stored->state);
  again.work[0] = run::fake_request("good", "").operation;  // the interrupted one behaves this time
  again.work[0].op = "ignores_term";
  again.plan.options.time_limit_s = 1;
  Watcher second;
  Scheduler resumed(std::move(again), second);
  EXPECT_TRUE(resumed.run());
  EXPECT_THAT(second.starts, ElementsAre("ignores_term@0#2", "slow@0#1"));
  EXPECT_THAT(second.ends, ElementsAre("ignores_term:timeout", "slow:passed"));
  EXPECT_EQ(status_lines().size(), 4u);
}

TEST_F(SchedulerTest, ChildrenPrepareSideBySideAndMeasureAlone) {
  std::vector<std::string> names;
  SchedulerSetup made = setup({}, 1);
  for (int i = 0; i < 8; ++i) {
    made.request.operations.push_back(fake_operation("takes_turns", std::to_string(i)));
  }
  made.work = made.request.operations;
  made.jobs_per_device = 4;
  bool has_seen_waiting = false;
  watcher_.on_tick = [&](std::vector<results::Activity> const& activities) {
    for (results::Activity const& one : activities) has_seen_waiting |= one.is_waiting;
  };
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  EXPECT_THAT(watcher_.ends, testing::SizeIs(8));
  EXPECT_THAT(watcher_.ends, testing::Each(testing::EndsWith(":passed"))) << reasons();
  EXPECT_EQ(watcher_.most_at_once, 4u);
  EXPECT_TRUE(has_seen_waiting);
}

TEST_F(SchedulerTest, AChildThatDiesWithTheLeaseGivesItBack) {
  SchedulerSetup made = setup({"dies_with_the_lease", "takes_turns"}, 1);
  made.jobs_per_device = 2;
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  // Its counter, which was left odd, is settled: the other one measured in peace.
  EXPECT_THAT(watcher_.ends, testing::Contains("takes_turns:passed")) << reasons();
}

TEST_F(SchedulerTest, AChildThatHangsWithTheLeaseIsEndedWhenOthersWait) {
  SchedulerSetup made = setup({"hangs_with_the_lease", "takes_turns"}, 1);
  made.jobs_per_device = 2;
  made.plan.options.silence_s = 0.5;
  made.plan.options.time_limit_s = 600;
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  EXPECT_THAT(watcher_.ends,
              UnorderedElementsAre("hangs_with_the_lease:timeout", "takes_turns:passed"));
  EXPECT_THAT(reasons(), testing::HasSubstr("said nothing for 0.5 s while others waited"));
}

TEST_F(SchedulerTest, WhoSpeaksWhileItHoldsTheDeviceIsLeftAlone) {
  SchedulerSetup made = setup({"holds_the_device", "takes_turns"}, 1);
  made.jobs_per_device = 2;
  made.plan.options.silence_s = 1.5;  // each pause is shorter, all together are longer
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  EXPECT_THAT(watcher_.ends, UnorderedElementsAre("holds_the_device:passed", "takes_turns:passed"));
}

TEST_F(SchedulerTest, TheTimeThatAChildWaitsForItsDeviceIsNotOfItsLife) {
  SchedulerSetup made = setup({"holds_the_device", "takes_turns"}, 1);
  made.jobs_per_device = 2;
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  Result<StoredBatch> const stored = open_batch(folder_.path());
  double const holds_s = stored->state.find("holds_the_device")->result->duration_s;
  double const waits_s = stored->state.find("takes_turns")->result->duration_s;
  EXPECT_GT(holds_s, 2);
  EXPECT_LT(waits_s, holds_s - 1) << "it waited for the other one";
}

TEST_F(SchedulerTest, ADeviceThatAnotherProcessUsesIsWaitedForAndTheOtherOneWorks) {
  SchedulerSetup made = setup({"slow", "good"}, 2);
  std::string const name = lock_name(made.request.backend, *made.devices[0]);
  Result<DeviceLock::Attempt> other = DeviceLock::try_take(folder_ / "locks", name, "batch /x");
  ASSERT_TRUE(other && other->lock);
  std::string seen;
  watcher_.on_tick = [&](std::vector<results::Activity> const& activities) {
    for (results::Activity const& one : activities) {
      if (one.op.empty()) seen = one.device + " " + one.phase;
    }
  };
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  EXPECT_THAT(watcher_.starts, ElementsAre("slow@1#1", "good@1#1"));
  EXPECT_EQ(seen, "0 used by process " + std::to_string(::getpid()) + " (batch /x)");
  Result<StoredBatch> const stored = open_batch(folder_.path());
  ASSERT_EQ(stored->state.notes().size(), 1u);
  EXPECT_EQ(stored->state.notes()[0].code, "DEVICE_IN_USE");
  EXPECT_THAT(stored->state.notes()[0].text,
              testing::HasSubstr("process " + std::to_string(::getpid()) + " (batch /x)"));
}

TEST_F(SchedulerTest, TheLockIsGivenBackWithTheLastChild) {
  SchedulerSetup made = setup({"good"}, 1);
  std::string const name = lock_name(made.request.backend, *made.devices[0]);
  auto const is_free = [&] {
    return DeviceLock::try_take(folder_ / "locks", name, "x")->lock.has_value();
  };
  bool was_free = true;
  watcher_.on_tick = [&](auto const& activities) {
    if (!activities.empty()) was_free = was_free && is_free();
  };
  Scheduler scheduler(std::move(made), watcher_);
  EXPECT_EQ(*scheduler.run(), BatchEnd::finished);
  EXPECT_FALSE(was_free);
  EXPECT_TRUE(is_free());
}

TEST_F(SchedulerTest, ALogThatCannotBeWrittenStopsTheBatchWithAnError) {
  SchedulerSetup made = setup({"good"}, 1);
  ASSERT_TRUE(make_folder(made.paths.events()));  // a folder where the log should be
  Scheduler scheduler(std::move(made), watcher_);
  Result<BatchEnd> const end = scheduler.run();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::environment);
  EXPECT_TRUE(watcher_.starts.empty());
}

}  // namespace
}  // namespace zl::batch
