// The library as another language sees it: opened by path, texts only.
#include "timing/engine_c.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <time.h>

#include "backend/runtime.h"

namespace zl::timing {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

std::string const kFakes = ZL_BINARY_DIR "/tests/fakes/vendor_lib/";

class TimingLibrary : public testing::Test {
 protected:
  void SetUp() override {
    library_ = ::dlopen(ZL_BINARY_DIR "/lib/zlbench/libzl_timing.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
  }
  void TearDown() override {
    if (engine_ != nullptr) entry(&zl_timing_close, "zl_timing_close")(engine_);
  }
  template <class Function>
  Function* entry(Function*, char const* name) {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  void open(std::size_t family, std::string const& runtime) {
    std::string const path = kFakes + runtime;
    char const* const libraries[] = {path.c_str()};
    std::string const name(backend::runtime_families()[family].name);
    engine_ = entry(&zl_timing_open, "zl_timing_open")(name.c_str(), libraries, 1, 0);
    runtime_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  template <class Function>
  Function* of_runtime(char const* name) {
    return reinterpret_cast<Function*>(::dlsym(runtime_, name));
  }
  Json graph_timing(char const* capture) {
    zl_timing_work work{};
    work.graph = of_runtime<void*(int)>(capture)(2);
    return measure(work);
  }
  Json call_timing(zl_timing_call call, void* state) {
    zl_timing_work work{};
    work.call = call;
    work.state = state;
    return measure(work);
  }
  // One timing, or the answer with the error.
  Json measure(zl_timing_work work) {
    work.id = "op";
    auto* const measure = entry(&zl_timing_measure, "zl_timing_measure");
    Json answer = Json::parse(measure(engine_, &work, 1, nullptr, 1, 0));
    return answer.contains("timings") ? answer["timings"][0] : answer;
  }
  void* library_ = nullptr;
  void* runtime_ = nullptr;
  zl_timing_engine* engine_ = nullptr;
};

TEST_F(TimingLibrary, MeasuresAGraphAndSummarisesItsRecordAgain) {
  open(0, "libfake_runtime_cu.so");
  Json const told = Json::parse(entry(&zl_timing_describe, "zl_timing_describe")(engine_));
  EXPECT_EQ(told.at("flush_bytes"), 120 << 20);
  EXPECT_TRUE(told.at("has_stream_wait"));
  Json const timing = graph_timing("cuCapturedGraph");
  EXPECT_EQ(timing.at("caliber"), "graph-evt/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 40'000, 20);
  EXPECT_EQ(timing.at("census").at("kernels"), 2);
  auto* const summarise = entry(&zl_timing_summarise, "zl_timing_summarise");
  EXPECT_EQ(Json::parse(summarise(engine_, timing.at("record").dump().c_str())),
            timing.at("summary"));
  auto* const calibrate = entry(&zl_timing_calibrate, "zl_timing_calibrate");
  EXPECT_EQ(Json::parse(calibrate(engine_, nullptr)).at("tick_ns"), 32);
}

TEST_F(TimingLibrary, TellsThePairOfTwoWorks) {
  open(0, "libfake_runtime_cu.so");
  auto* const capture = of_runtime<void*(int)>("cuCapturedGraph");
  zl_timing_work works[2] = {};
  works[0].id = "baseline";
  works[0].graph = capture(3);
  works[1].id = "candidate";
  works[1].graph = capture(2);
  auto* const measure = entry(&zl_timing_measure, "zl_timing_measure");
  Json const two = Json::parse(measure(engine_, works, 2, nullptr, 1, 0));
  EXPECT_NEAR(two.at("pair").at("speedup"), 1.5, 0.002);
  EXPECT_LE(two.at("pair").at("speedup_low"), two.at("pair").at("speedup"));
  EXPECT_GE(two.at("pair").at("pairs"), 16);
  EXPECT_FALSE(Json::parse(measure(engine_, works, 1, nullptr, 1, 0)).contains("pair"));
}

TEST_F(TimingLibrary, MeasuresTheCallersFunction) {
  open(0, "libfake_runtime_cu.so");
  auto* const launch = of_runtime<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, void*, void**, void**)>("cuLaunchKernel");
  struct State {
    decltype(launch) start;
    void* kernel;
  } state{launch, of_runtime<void*()>("cuWorkKernel")()};
  auto const call = [](void* pointer) {
    auto const& self = *static_cast<State*>(pointer);
    return self.start(self.kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  };
  Json const timing = call_timing(call, &state);
  EXPECT_EQ(timing.at("caliber"), "direct-blk/cold-clean2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 20'000, 20);
}

// No event nodes, no held streams, no device code, the older way to instantiate.
TEST_F(TimingLibrary, TheSecondFamilyDoesWithWhatItHas) {
  open(1, "libfake_runtime_mu.so");
  Json const timing = graph_timing("muCapturedGraph");
  EXPECT_EQ(timing.at("caliber"), "graph-outer-preroll/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 40'000, 20);
}

TEST_F(TimingLibrary, TellsInEveryAnswerWhyItCouldNotBeOpened) {
  open(0, "libno_such_runtime.so");
  Json const told = Json::parse(entry(&zl_timing_describe, "zl_timing_describe")(engine_));
  EXPECT_THAT(told.at("error").at("text").get<std::string>(), HasSubstr("libno_such_runtime"));
  EXPECT_TRUE(measure({}).contains("error"));
}

TEST_F(TimingLibrary, AChangingEpochIsADisturbance) {
  open(0, "libfake_runtime_cu.so");
  static std::uint64_t counter;
  counter = 0;
  entry(&zl_timing_watch_epoch, "zl_timing_watch_epoch")(engine_, &counter);
  auto const call = [](void*) {
    ++counter;
    return 0;
  };
  Json const told = call_timing(call, nullptr);
  EXPECT_EQ(told.at("error").at("reason"), "unstable");
}

TEST_F(TimingLibrary, OnTheHostItMeasuresTheCallersFunctionWithoutALibrary) {
  engine_ = entry(&zl_timing_open, "zl_timing_open")("host", nullptr, 0, 0);
  Json const told = Json::parse(entry(&zl_timing_describe, "zl_timing_describe")(engine_));
  EXPECT_EQ(told.at("has_stream_wait"), false);
  auto const call = [](void*) {
    timespec const pause{0, 200'000};
    return ::nanosleep(&pause, nullptr);
  };
  Json const timing = call_timing(call, nullptr);
  EXPECT_EQ(timing.at("caliber"), "host-p5/warm/net/burst/v1");
  EXPECT_GT(timing.at("summary").at("median_ns"), 200'000);
  EXPECT_LT(timing.at("summary").at("p5_ns"), 5'000'000);
  auto* const summarise = entry(&zl_timing_summarise, "zl_timing_summarise");
  EXPECT_EQ(Json::parse(summarise(engine_, timing.at("record").dump().c_str())),
            timing.at("summary"));
  EXPECT_EQ(call_timing([](void*) { return 1; }, nullptr).at("error").at("reason"), "call_failed");
  EXPECT_EQ(Json::parse(entry(&zl_timing_calibrate, "zl_timing_calibrate")(engine_, nullptr))
                .at("error")
                .at("reason"),
            "no_device");
}

TEST_F(TimingLibrary, NothingButTheEntryPointsIsVisible) {
  // Of the C++ library that is linked in; another copy of it in the process must not be met.
  EXPECT_EQ(::dlsym(library_, "_ZNSt6localeC1Ev"), nullptr);
  EXPECT_NE(::dlsym(library_, "zl_timing_open"), nullptr);
}

}  // namespace
}  // namespace zl::timing
