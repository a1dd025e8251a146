// Real children over real sockets: tests/fakes/children/child.py behaves as the operator's name
// says.
#include "run/child.h"

#include <gmock/gmock.h>
#include <poll.h>

#include "base/json.h"
#include "fixture.h"
#include "processes.h"

namespace zl::run {
namespace {

using results::OpResult;
using results::Status;
using testing::HasSubstr;

struct Ran {
  OpResult result;
  results::OpState state;
};

class ChildTest : public testing::Test {
 protected:
  Ran run(std::string const& op, std::function<void(PlanRequest&)> const& change = {}) {
    PlanRequest request = fake_request(op, folder_ / op);
    if (change) change(request);
    results::BatchState state;
    Plan const plan = *make_plan(request);
    Result<std::unique_ptr<Child>> child = Child::start(
        plan, *RunFolder::create(plan, 1), request.caller, 1, state,
        [&](results::Event const& event) -> Result<void> {
          state.apply(event);
          return {};
        },
        -1);
    EXPECT_TRUE(child) << child.error().text;
    while (true) {
      pollfd entry{(*child)->channel_fd(), POLLIN, 0};
      ::poll(&entry, 1, 10);
      EXPECT_TRUE((*child)->on_readable());
      auto const wish = (*child)->take_wish();
      if (wish && *wish != Access::none) (*child)->grant(*wish);
      auto const result = (*child)->tick(Clock::now());
      EXPECT_TRUE(result);
      if (*result) return {**result, *state.find(op)};
    }
  }
  std::string file(std::string const& op, char const* name) {
    return *read_file(folder_ / op / name);
  }

  TempFolder folder_;
};

TEST_F(ChildTest, AGoodChildPasses) {
  Ran const ran = run("good");
  EXPECT_EQ(ran.result.status, Status::passed);
  EXPECT_EQ(ran.result.reason, "");
  EXPECT_EQ(ran.result.shapes, 2);
  EXPECT_NEAR(*ran.result.speedup, std::sqrt(2.0 * 4.0), 1e-9);
  EXPECT_EQ(ran.result.timer, "fake");  // as its calibers say
}

TEST_F(ChildTest, TheRunFolderHoldsPlanLogIdentityAndMeasurements) {
  run("good");
  EXPECT_EQ((*parse_json(file("good", "plan.json")))["operator"], "good");
  Json const identity = *parse_json(file("good", "run_identity.json"));
  EXPECT_EQ(identity["child"]["from"], "fake");
  EXPECT_EQ(identity["backend"], host_backend().name);
  EXPECT_EQ(identity["timer"], "host");
  auto const lines = split(trim(file("good", "measurements.jsonl")), '\n');
  ASSERT_EQ(lines.size(), 4u);
  Json const first = *parse_json(lines[0]);
  EXPECT_EQ(first["value_ns"], 2000.0);
  EXPECT_EQ(first["caliber"], "fake/1");
  EXPECT_EQ(first["shape"], "[4]");
  EXPECT_EQ(first["raw"]["unit"], "ns");
}

// `zlbench plan` and the child must not differ: argv, environment, folder.
TEST_F(ChildTest, TheChildIsStartedExactlyAsThePlanSays) {
  PlanRequest const request = fake_request("shows_plan", folder_ / "shows_plan");
  Plan const plan = *make_plan(request);
  Ran const ran = run("shows_plan");
  Json const seen = *parse_json(ran.state.identity_json);
  std::vector<std::string> argv = seen["argv"];
  std::vector<std::string> const planned(plan.argv.begin(), plan.argv.end());
  EXPECT_EQ(argv, planned);
  Environment environment = seen["environment"];
  environment.erase("LC_CTYPE");  // Python coerces the C locale by itself (PEP 538)
  EXPECT_EQ(environment, with_changes(request.caller, plan.environment));
  EXPECT_EQ(seen["folder"], fs::canonical(plan.working_directory).string());
  EXPECT_EQ(seen["plan"], *parse_json(to_json_text(plan)));
}

TEST_F(ChildTest, EndsAreToldApart) {
  struct Row {
    char const* op;
    Status status;
    char const* reason;
  };
  Row const rows[] = {
      {"one_case_fails", Status::partial,
       "1 of 3 shapes failed; first in candidate: RuntimeError: no (shape [8], float32)"},
      {"crash", Status::crashed, "signal 11 (Segmentation fault) in phase candidate of case b"},
      {"silent", Status::failed, "before it said hello"},
      {"dies_at_once", Status::failed,
       "exit status 3 before it said hello; last log line: the reason stands in the log"},
      {"wrong_protocol", Status::protocol_error,
       "the child speaks protocol 99, this zlbench speaks 1"},
      {"no_numbers", Status::no_numbers, "measured nothing"},
      {"skips", Status::skipped, "not on this device"},
      {"no_bye", Status::partial, "without a bye"},
      {"close_and_run", Status::passed, ""},
      {"foreign", Status::passed, "FOREIGN_VENDOR_MODULE active=one loaded=two"},
      {"wrong_vendor", Status::wrong_vendor, "the corpus chose another vendor"},
      {"waits_for_lease", Status::passed, ""},
      {"killed", Status::crashed, "signal 9 (Killed)"},
      {"out_of_memory", Status::partial, "MemoryError"},
      {"half_lines", Status::partial, "the child ended during this case"},
      {"half_lines", Status::partial, "1 broken protocol lines dropped, first: half a line"},
      {"grandchild_holds_channel", Status::passed, ""},
      {"flood_messages", Status::protocol_error, "said more than a child may say, in phase x"},
      {"flood_lines", Status::protocol_error, "first: not a JSON object: garbage"},
  };
  for (Row const& row : rows) {
    OpResult const result = run(row.op).result;
    EXPECT_EQ(to_text(result.status), to_text(row.status)) << row.op << ": " << result.reason;
    EXPECT_THAT(result.reason, HasSubstr(row.reason)) << row.op;
  }
}

TEST_F(ChildTest, NumbersOfAChildWithoutHelloAreNotBelieved) {
  Ran const ran = run("silent");
  EXPECT_EQ(ran.result.shapes, 0);
  EXPECT_FALSE(ran.result.speedup);
}

TEST_F(ChildTest, ADeadChildKeepsWhatItMeasured) {
  Ran const ran = run("crash");
  EXPECT_EQ(ran.result.shapes, 1);
  EXPECT_EQ(ran.state.cases[1].status, results::CaseStatus::failed);
  EXPECT_EQ(ran.state.cases[1].phase, "candidate");
}

TEST_F(ChildTest, GarbageIsDroppedAndCounted) {
  Ran const ran = run("garbage");
  EXPECT_EQ(ran.result.status, Status::passed);
  EXPECT_EQ(ran.result.shapes, 1);
  EXPECT_THAT(ran.result.reason, HasSubstr("8 broken protocol lines dropped"));
}

TEST_F(ChildTest, AHangEndsAtTheTimeLimitAlsoWhenTermIsIgnored) {
  for (char const* op : {"hang", "ignores_term"}) {
    auto const before = Clock::now();
    Ran const ran = run(op, [](PlanRequest& request) { request.options.time_limit_s = 0.5; });
    EXPECT_EQ(ran.result.status, Status::timeout) << op;
    EXPECT_THAT(ran.result.reason, HasSubstr("no end within 0.5 s, in phase candidate"));
    EXPECT_EQ(ran.result.shapes, 1);
    EXPECT_LT(Clock::now() - before, std::chrono::seconds(15));
  }
}

TEST_F(ChildTest, AFloodedLogEndsTheChildAndStaysNearItsLimit) {
  Ran const ran =
      run("flood_log", [](PlanRequest& request) { request.options.log_limit_bytes = 1 << 20; });
  EXPECT_EQ(ran.result.status, Status::log_overflow);
  std::string const log = file("flood_log", "run.log");
  EXPECT_GT(log.size(), 1u << 20);
  EXPECT_LE(log.size(), (2u << 20) + 100);
  // What stays below the head and the tail together is left as it is.
  bool const is_cut = log.find(" bytes are cut out here]\n") != std::string::npos;
  EXPECT_EQ(is_cut, log.size() > (2u << 20));
}

TEST_F(ChildTest, OfAFloodedLogHeadAndTailAreKept) {
  PlanRequest const request = fake_request("good", folder_ / "good");
  Result<RunFolder> folder = RunFolder::create(*make_plan(request), 1);
  folder->append_to_log("begin\n" + std::string(5 << 20, 'x') + "\nend\n");
  folder->cut_log(1 << 20);
  std::string const log = file("good", "run.log");
  EXPECT_LE(log.size(), (2u << 20) + 100);
  EXPECT_THAT(log, testing::StartsWith("begin\n"));
  EXPECT_THAT(log, HasSubstr(" bytes are cut out here]\n"));
  EXPECT_THAT(log, testing::EndsWith("\nend\n"));
}

TEST_F(ChildTest, AGrandchildDoesNotOutliveIt) {
  run("grandchild");
  auto const pid = static_cast<pid_t>(*parse_integer(trim(file("grandchild", "grandchild.pid"))));
  EXPECT_TRUE(ends_soon(pid));
}

TEST_F(ChildTest, TheLogOfAnEarlierAttemptIsKept) {
  PlanRequest const request = fake_request("good", folder_ / "good");
  Plan const plan = *make_plan(request);
  RunFolder::create(plan, 1)->append_to_log("the first\n");
  RunFolder::create(plan, 2)->append_to_log("the second\n");
  RunFolder::create(plan, 3)->append_to_log("the third\n");
  EXPECT_EQ(file("good", "run.1.log"), "the first\n");
  EXPECT_EQ(file("good", "run.2.log"), "the second\n");
  EXPECT_EQ(file("good", "run.log"), "the third\n");
}

TEST_F(ChildTest, AHangLeavesTheStatesOfItsThreadsInTheLog) {
  run("hang", [](PlanRequest& request) { request.options.time_limit_s = 0.5; });
  EXPECT_THAT(file("hang", "run.log"), HasSubstr("[zlbench: threads of process"));
  EXPECT_THAT(file("hang", "run.log"), HasSubstr(": S (sleeping), in "));
}

TEST_F(ChildTest, AProgramThatIsNotThereIsAnError) {
  PlanRequest request = fake_request("good", folder_ / "good");
  request.places.self = "/no/such/program";
  results::BatchState state;
  Plan const plan = *make_plan(request);
  auto const child = Child::start(
      plan, *RunFolder::create(plan, 1), request.caller, 1, state,
      [](results::Event const&) -> Result<void> { return {}; }, -1);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().text, HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace zl::run
