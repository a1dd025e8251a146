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
    for (int i = 0; i < devices; ++i) {
      backend::Device device;
      device.index = i;
      made.devices.emplace_back(device);
    }
    made.paths.folder = folder_.path();
    EXPECT_TRUE(write_file_atomic(made.paths.request(), to_json_text(made.request)));
    return made;
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
  EXPECT_THAT(watcher_.ends, ElementsAre("good:passed", "lost:unresolved"));
  EXPECT_THAT(status_lines()[2], testing::HasSubstr("unresolved,no mark names it"));
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
