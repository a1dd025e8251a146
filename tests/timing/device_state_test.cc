// What the device tells between bursts, and the part of its cache that a flush does not reach.
#include "backend/device_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "fake_runtime.h"
#include "timing/engine_json.h"
#include "timing/record_json.h"

namespace zl::timing {
namespace {

using backend::DeviceState;
using testing::Contains;
using testing::Not;

constexpr DeviceState kSlow{true, false};
constexpr DeviceState kCapped{false, true};

// What the n-th question gets; the first two are the session's own.
struct Teller {
  std::function<DeviceState(int)> answer;
  int asked = 0;
};

class Reader : public backend::DeviceStateReader {
 public:
  explicit Reader(Teller* teller) : teller_(teller) {}
  std::optional<DeviceState> state() override {
    fake::pass_host_time(7'000);
    return teller_->answer(teller_->asked++);
  }
  std::optional<double> temperature_c() override { return 41; }

 private:
  Teller* teller_;
};

class DeviceStateTest : public testing::Test {
 protected:
  void open(Teller* teller, backend::RuntimeApi api = fake::api(), fake::Script script = {}) {
    fake::reset(std::move(script));
    backend::DeviceRuntime runtime;
    runtime.api = api;
    runtime.family = &backend::runtime_families().front();
    HostEnvironment host{[] { return fake::host_ns(); },
                         [this](std::int64_t ns) {
                           if (ns >= 100'000'000) waits_.push_back(ns);
                           fake::pass_host_time(ns);
                         },
                         [] { return std::uint64_t{0}; }};
    if (teller != nullptr) {
      host.open_device_state = [teller](backend::DeviceRuntime const&, int) {
        return std::make_unique<Reader>(teller);
      };
    }
    auto opened = Engine::open(runtime, host, 0, {}, {});
    ASSERT_TRUE(opened) << opened.error().text;
    engine_ = std::move(*opened);
    graph_ = fake::captured_graph(1);
  }
  void TearDown() override {
    fake::api().graph_destroy(graph_);
    engine_.reset();
    EXPECT_EQ(fake::live_handles(), 0u);
  }
  DeviceResult<DeviceTimings> measure(std::size_t sides = 1) {
    Work work;
    work.id = "op";
    work.graph = graph_;
    return engine_->measure(std::vector<Work>(sides, work), nullptr, {});
  }
  Json described() { return *parse_json(describe_json_line(engine_->session())); }

  std::unique_ptr<Engine> engine_;
  Handle graph_ = nullptr;
  std::vector<std::int64_t> waits_;
};

TEST_F(DeviceStateTest, IsAskedOnceABurst) {
  Teller teller{[](int) { return DeviceState{}; }};
  open(&teller);
  EXPECT_EQ(described().at("device_state_ns"), 7'000);
  auto const timings = measure(2);
  ASSERT_TRUE(timings) << timings.error().text;
  std::size_t bursts = 0;
  for (auto const& timing : *timings) bursts += timing.summary.bursts;
  EXPECT_EQ(static_cast<std::size_t>(teller.asked), bursts + 2);
  EXPECT_EQ((*timings)[0].record.visits.at(0).temperature_c, 41);
  EXPECT_THAT((*timings)[0].summary.flags, Not(Contains("power_capped")));
  EXPECT_TRUE(waits_.empty());
}

TEST_F(DeviceStateTest, ABurstOnASlowedDeviceIsRejectedAndTheDeviceLeftAlone) {
  Teller teller{[](int n) { return n == 5 || n == 6 ? kSlow : DeviceState{}; }};
  open(&teller);
  auto const timings = measure();
  ASSERT_TRUE(timings) << timings.error().text;
  auto const& timing = timings->front();
  EXPECT_EQ(timing.summary.rejected_bursts, 2u);
  EXPECT_EQ(timing.record.visits.at(0).bursts.at(3).rejection, Rejection::slowdown);
  EXPECT_EQ(timing.record.visits.at(0).bursts.at(4).rejection, Rejection::slowdown);
  EXPECT_THAT(waits_, testing::ElementsAre(100'000'000, 200'000'000));
  EXPECT_THAT(timing.summary.flags, Not(Contains("unstable_clock")));
  EXPECT_EQ(parse_json(to_json_line(timing.record))->at("rejected"), (Json{{"slowdown", {3, 4}}}));
}

TEST_F(DeviceStateTest, AVisitEndsWhenTheDeviceStaysSlow) {
  Teller teller{[](int n) { return n >= 6 && n < 10 ? kSlow : DeviceState{}; }};
  open(&teller);
  auto const timings = measure(2);
  ASSERT_TRUE(timings) << timings.error().text;
  auto const& first = timings->front().record.visits.at(0);
  EXPECT_EQ(waits_.size(), 2u);  // a slow round of the two sides each
  EXPECT_EQ(first.why, BurstStop::interval);

  TearDown();
  waits_.clear();
  Teller stays{[](int n) { return n >= 6 && n < 14 ? kSlow : DeviceState{}; }};
  open(&stays);
  auto const later = measure(2);
  ASSERT_TRUE(later) << later.error().text;
  EXPECT_THAT(waits_, testing::ElementsAre(100'000'000, 200'000'000, 400'000'000));
  for (auto const& timing : *later) {
    EXPECT_EQ(timing.record.visits.at(0).why, BurstStop::none);
    EXPECT_THAT(timing.summary.flags, Contains("unstable_clock"));
  }
}

TEST_F(DeviceStateTest, ADeviceThatIsAlwaysSlowHasNoResult) {
  Teller teller{[](int) { return kSlow; }};
  open(&teller);
  auto const timings = measure();
  ASSERT_FALSE(timings);
  EXPECT_STREQ(timings.error().reason, "unstable");
  EXPECT_THAT(waits_, testing::SizeIs(testing::Le(9)));
}

TEST_F(DeviceStateTest, APowerCapIsToldAndNoReasonToReject) {
  Teller teller{[](int n) { return n == 9 ? kCapped : DeviceState{}; }};
  open(&teller);
  auto const timings = measure();
  ASSERT_TRUE(timings) << timings.error().text;
  auto const& timing = timings->front();
  EXPECT_EQ(timing.summary.rejected_bursts, 0u);
  EXPECT_THAT(timing.summary.flags, Contains("power_capped"));
  auto const again = parse_record(to_json_line(timing.record));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json_line(*summarise(*again)), to_json_line(timing.summary));
}

TEST_F(DeviceStateTest, IsNotAskedWhereNobodyTells) {
  open(nullptr);
  EXPECT_EQ(described().at("device_state_ns"), nullptr);
  auto const timings = measure();
  ASSERT_TRUE(timings) << timings.error().text;
  EXPECT_FALSE(timings->front().record.visits.at(0).temperature_c);
}

// ---- the cache ----

TEST_F(DeviceStateTest, NoPartOfTheCacheIsKeptFromTheFlush) {
  open(nullptr, fake::api(), {.persisting_bytes = 30 << 20});
  EXPECT_EQ(described().at("persisting_bytes"), 30 << 20);
  EXPECT_EQ(fake::script().persisting_bytes, 0u);
  fake::script().persisting_bytes = 1 << 20;  // by somebody else in the process
  ASSERT_TRUE(measure());
  EXPECT_EQ(fake::script().persisting_bytes, 0u);
  // Before each visit: to find out how long a call takes, and two to measure it.
  auto const& calls = fake::calls();
  EXPECT_GE(std::count(calls.begin(), calls.end(), "CtxResetPersistingL2Cache"), 3);
}

TEST_F(DeviceStateTest, ADirectCallsCacheIsFreedToo) {
  open(nullptr);
  fake::script().persisting_bytes = 1 << 20;
  Work work;
  work.id = "op";
  work.calls.call = {[](void*) {
                       return fake::api().launch(fake::work_kernel(), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                                 nullptr, nullptr);
                     },
                     nullptr};
  ASSERT_TRUE(engine_->measure({work}, nullptr, {}));
  EXPECT_EQ(fake::script().persisting_bytes, 0u);
}

TEST_F(DeviceStateTest, NothingHappensWhereTheRuntimeDoesNotKnowOfSuchAPart) {
  for (bool const is_missing : {true, false}) {
    auto api = fake::api();
    fake::Script script{.persisting_bytes = 5};
    if (is_missing) api.context_limit = nullptr;
    if (!is_missing) script.failures["CtxGetLimit"] = {215};
    open(nullptr, api, script);
    EXPECT_EQ(described().at("persisting_bytes"), nullptr);
    ASSERT_TRUE(measure());
    EXPECT_THAT(fake::calls(), Not(Contains("CtxResetPersistingL2Cache")));
    EXPECT_EQ(fake::script().persisting_bytes, 5u);
    if (is_missing) TearDown();
  }
}

// ---- the upload ----

// By an upload; where there is none by a launch that nobody looks at.
TEST_F(DeviceStateTest, AGraphIsBroughtToTheDeviceBeforeItsBurst) {
  auto const count = [](char const* name) {
    return std::count(fake::calls().begin(), fake::calls().end(), name);
  };
  open(nullptr);
  ASSERT_TRUE(measure());
  EXPECT_EQ(count("GraphUpload"), count("GraphInstantiateWithFlags"));
  auto const launches = count("GraphLaunch");
  auto const instances = count("GraphInstantiateWithFlags");

  TearDown();
  auto api = fake::api();
  api.graph_upload = nullptr;
  open(nullptr, api);
  ASSERT_TRUE(measure());
  EXPECT_EQ(count("GraphUpload"), 0);
  EXPECT_EQ(count("GraphLaunch"), launches + instances);
}

}  // namespace
}  // namespace zl::timing
