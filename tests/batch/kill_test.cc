// The scheduler is killed at random moments and resumed each time: every operator ends with exactly
// one result, and with the right one. ZL_KILLS sets the number of kills.
#include <csignal>
#include <gmock/gmock.h>
#include <random>
#include <sys/wait.h>

#include "base/text.h"
#include "batch/scheduler.h"
#include "results/status_csv.h"
#include "run/fixture.h"

namespace zl::batch {
namespace {

struct Expected {
  char const* behaviour;
  char const* status;
};
constexpr Expected kOperators[] = {{"good", "passed"},           {"one_case_fails", "partial"},
                                   {"crash", "crashed"},         {"takes_turns", "passed"},
                                   {"no_numbers", "no_numbers"}, {"skips", "skipped"}};

class Silent : public results::Observer {
 public:
  void on_event(results::Event const&) override {}
  void on_activity(std::vector<results::Activity> const&) override {}
};

class KillTest : public testing::Test {
 protected:
  void make_batch() {
    BatchRequest request;
    request.backend = run::host_backend().name;
    request.provider = "native";
    request.name = std::to_string(batches_++);
    for (int i = 0; i < 2; ++i) {
      for (Expected const& one : kOperators) {
        provider::ProviderCase operation = run::fake_request(one.behaviour, "").operation;
        operation.op += "." + std::to_string(i);
        request.operations.push_back(operation);
      }
    }
    paths_ = *create_batch(folder_.path(), request);
  }

  // In a process of its own: whatever is outstanding. True when it ended by itself.
  bool run_for(int limit_us) {
    pid_t const pid = ::fork();
    if (pid == 0) ::_exit(run_outstanding());
    ::usleep(static_cast<useconds_t>(limit_us));
    ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
    return WIFEXITED(status);
  }
  int run_outstanding() const {
    Result<StoredBatch> stored = open_batch(paths_.folder);
    if (!stored) return 2;
    SchedulerSetup setup;
    setup.paths = stored->paths;
    setup.request = stored->request;
    setup.work = outstanding(stored->request, stored->state);
    setup.state = std::move(stored->state);
    setup.is_resumed = stored->log.events > 0;
    setup.plan = run::fake_request("", "");
    setup.plan.caller["ZL_LOCKS"] = (folder_ / "locks").string();
    setup.devices = {backend::Device{}};
    setup.jobs_per_device = 3;
    Silent observer;
    Scheduler scheduler(std::move(setup), observer);
    return scheduler.run() ? 0 : 3;
  }

  void check_results() const {
    std::map<std::string, int> ends;
    auto const facts = results::read_events(paths_.events(), [&](results::Event const& event) {
      if (auto const* ended = std::get_if<results::RunEnded>(&event)) ++ends[ended->result.op];
    });
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->skipped_lines, 0u);
    EXPECT_FALSE(facts->has_half_line);
    Result<StoredBatch> const stored = open_batch(paths_.folder);
    std::map<std::string, std::string> rows;
    for (results::StatusFacts const& row :
         results::parse_status_rows(*read_file(paths_.status()))) {
      EXPECT_TRUE(rows.emplace(row.op, row.status).second) << row.op << " has two rows";
    }
    EXPECT_EQ(rows.size(), stored->request.operations.size()) << "none lost, none invented";
    for (provider::ProviderCase const& operation : stored->request.operations) {
      std::string const behaviour = operation.op.substr(0, operation.op.find('.'));
      auto const* const expected =
          std::find_if(std::begin(kOperators), std::end(kOperators),
                       [&](Expected const& one) { return behaviour == one.behaviour; });
      EXPECT_EQ(ends[operation.op], 1) << operation.op;
      EXPECT_EQ(rows[operation.op], expected->status) << operation.op;
      results::OpResult const& result = *stored->state.find(operation.op)->result;
      EXPECT_EQ(result.shapes, behaviour == "good" || behaviour == "one_case_fails" ? 2
                               : behaviour == "crash" || behaviour == "takes_turns" ? 1
                                                                                    : 0)
          << operation.op;
    }
  }

  TempFolder folder_;
  BatchPaths paths_;
  int batches_ = 0;
};

TEST_F(KillTest, AKilledSchedulerLosesDoublesAndInventsNothing) {
  char const* const asked = std::getenv("ZL_KILLS");
  int const most = asked == nullptr ? 150 : std::atoi(asked);
  std::mt19937 random(1);
  int kills = 0;
  while (kills < most) {
    make_batch();
    while (!run_for(std::uniform_int_distribution<int>(0, 250'000)(random))) ++kills;
    check_results();
    if (HasFailure()) FAIL() << "batch " << paths_.folder << " after " << kills << " kills";
  }
  RecordProperty("kills", kills);
  RecordProperty("batches", batches_);
}

}  // namespace
}  // namespace zl::batch
