// Every family of runtimes through the library that other languages open.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "backend/runtime.h"
#include "timing/engine_c.h"

namespace zl::timing {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

std::string const kFakes = ZL_BINARY_DIR "/tests/fakes/vendor_lib/libfake_runtime_";

class Family : public testing::Test {
 protected:
  void SetUp() override {
    library_ = ::dlopen(ZL_BINARY_DIR "/lib/zlbench/libzl_timing.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
  }
  void TearDown() override { close(); }
  void close() {
    if (engine_ != nullptr) entry(&zl_timing_close, "zl_timing_close")(engine_);
    engine_ = nullptr;
    if (runtime_ != nullptr) of_runtime<void(int)>("base_DieAtWork")(0);
  }
  template <class Function>
  Function* entry(Function*, char const* name) {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  template <class Function>
  Function* of_runtime(char const* name) {
    return reinterpret_cast<Function*>(::dlsym(runtime_, name));
  }
  // The file's name is the family's, and may have a kind behind an underscore.
  void open(std::string const& name, std::string const& family) {
    std::string const path = kFakes + name + ".so";
    char const* const libraries[] = {path.c_str()};
    engine_ = entry(&zl_timing_open, "zl_timing_open")(family.c_str(), libraries, 1, 0);
    runtime_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (runtime_ == nullptr) return;
    launch_ = of_runtime<Launch>("base_LaunchKernel");
    kernel_ = of_runtime<void*()>("base_WorkKernel")();
  }
  Json describe() { return Json::parse(entry(&zl_timing_describe, "zl_timing_describe")(engine_)); }
  Json measure(zl_timing_work work) {
    work.id = "op";
    work.state = this;
    work.call = [](void* self) { return static_cast<Family*>(self)->launch_work(); };
    auto* const measure = entry(&zl_timing_measure, "zl_timing_measure");
    Json answer = Json::parse(measure(engine_, &work, 1, nullptr, 1, 0));
    return answer.contains("timings") ? answer["timings"][0] : answer;
  }
  Json measure_graph() {
    zl_timing_work work{};
    work.graph = of_runtime<void*(int)>("base_CapturedGraph")(2);
    return measure(work);
  }

 private:
  using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void*, void**, void**);
  int launch_work() { return launch_(kernel_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); }
  void* library_ = nullptr;
  void* runtime_ = nullptr;
  zl_timing_engine* engine_ = nullptr;
  Launch* launch_ = nullptr;
  void* kernel_ = nullptr;
};

TEST_F(Family, WithoutTimesInGraphsLaunchesThemBetweenEvents) {
  open("hip", "hip");
  Json const told = describe();
  EXPECT_EQ(told.at("multiprocessors"), 4);
  EXPECT_EQ(told.at("cache_bytes"), 60 << 20);
  EXPECT_TRUE(told.at("has_stream_wait"));
  Json const timing = measure_graph();
  EXPECT_EQ(timing.at("caliber"), "graph-outer/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 40'000, 20);
  EXPECT_EQ(timing.at("census").at("kernels"), 2);
}

TEST_F(Family, WithoutTimesInGraphsHoldsTheStreamForACall) {
  open("hip", "hip");
  Json const timing = measure({});
  EXPECT_EQ(timing.at("caliber"), "direct-blk/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 20'000, 20);
}

TEST_F(Family, AnOlderReleaseStillMeasures) {
  open("hip_old", "hip");
  EXPECT_THAT(describe().at("missing"), Contains("hipStreamWaitValue32"));
  Json const timing = measure_graph();
  EXPECT_EQ(timing.at("caliber"), "graph-outer-preroll/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 40'000, 20);
  EXPECT_EQ(timing.at("census").at("kernels"), 2);
}

TEST_F(Family, WithEventsOnlyKeepsTheDeviceBusyMeanwhile) {
  open("acl", "acl");
  Json const told = describe();
  EXPECT_EQ(told.at("multiprocessors"), 24);
  EXPECT_EQ(told.at("flush_bytes"), 120 << 20);
  Json const timing = measure({});
  EXPECT_EQ(timing.at("caliber"), "direct-preroll/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 20'000, 20);
}

TEST_F(Family, ThatTellsNoCacheIsFlushedForTheLargestKnown) {
  open("acl_old", "acl");
  EXPECT_EQ(describe().at("flush_bytes"), 384 << 20);
  EXPECT_EQ(measure({}).at("caliber"), "direct-preroll/cold-dirty2x/net/burst/v1");
}

TEST_F(Family, OfTheSameLevelWithAnotherPrefix) {
  open("mc", "maca");
  Json const timing = measure({});
  EXPECT_EQ(timing.at("caliber"), "direct-preroll/cold-dirty2x/net/burst/v1");
  EXPECT_NEAR(timing.at("summary").at("median_ns"), 20'000, 20);
}

TEST_F(Family, AFaultOfTheDeviceEndsTheEngine) {
  struct {
    char const* family;
    int status;
  } const rows[] = {{"hip", 700}, {"acl", 507015}};
  for (auto const& [family, status] : rows) {
    SCOPED_TRACE(family);
    open(family, family);
    of_runtime<void(int)>("base_DieAtWork")(5);
    Json const told = measure({});
    EXPECT_EQ(told.at("error").at("class"), "sticky") << told;
    EXPECT_EQ(told.at("error").at("status"), status);
    EXPECT_EQ(measure({}).at("error").at("text"), told.at("error").at("text"));
    close();
  }
}

TEST_F(Family, ALibraryThatLacksWhatIsNeededIsNamedWithIt) {
  open("acl_broken", "acl");
  std::string const text = describe().at("error").at("text");
  EXPECT_THAT(text, HasSubstr("libfake_runtime_acl_broken.so"));
  EXPECT_THAT(text, HasSubstr("aclrtMalloc"));
}

}  // namespace
}  // namespace zl::timing
