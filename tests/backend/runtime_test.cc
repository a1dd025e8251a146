#include "backend/runtime.h"

#include <dlfcn.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zl::backend {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string fake(char const* name) {
  return std::string(ZL_BINARY_DIR "/tests/fakes/vendor_lib/") + name;
}

TEST(Runtime, ResolvesTheTableUnderTheFamilysPrefix) {
  auto const runtime = open_runtime("cuda", {fake("libfake_runtime_cu.so")}, {});
  ASSERT_TRUE(runtime) << runtime.error().text;
  auto const features = runtime->features();
  EXPECT_TRUE(features.graphs);
  EXPECT_TRUE(features.graph_event_nodes);
  EXPECT_TRUE(features.stream_wait_value);
  EXPECT_TRUE(features.device_code);
  int version = 0;
  EXPECT_EQ(runtime->api.driver_version(&version), 0);
  EXPECT_EQ(version, 12080);
}

TEST(Runtime, AnotherFamilyHasTheSameTableAndFewerFeatures) {
  auto const runtime = open_runtime("musa", {fake("libfake_runtime_mu.so")}, {});
  ASSERT_TRUE(runtime) << runtime.error().text;
  auto const features = runtime->features();
  EXPECT_TRUE(features.graphs);
  EXPECT_FALSE(features.graph_event_nodes);
  EXPECT_FALSE(features.stream_wait_value);
  EXPECT_FALSE(features.device_code);
  EXPECT_NE(runtime->api.event_elapsed, nullptr);  // by its older name
  EXPECT_THAT(runtime->missing, Contains("muGraphAddEventRecordNode"));
  Handle graph = nullptr;
  Handle exec = nullptr;
  ASSERT_EQ(runtime->api.graph_create(&graph, 0), 0);
  EXPECT_EQ(instantiate_graph(runtime->api, &exec, graph), 0);  // the five arguments
  EXPECT_EQ(runtime->api.graph_exec_destroy(exec), 0);
  EXPECT_EQ(runtime->api.graph_destroy(graph), 0);
}

TEST(Runtime, AnErrorNamesTheLibraryAndTheSymbol) {
  auto const runtime =
      open_runtime("cuda", {"libnot_there.so", fake("libfake_runtime_broken.so")}, {});
  ASSERT_FALSE(runtime);
  EXPECT_THAT(runtime.error().text, HasSubstr("libnot_there.so"));
  EXPECT_THAT(runtime.error().text, HasSubstr("libfake_runtime_broken.so"));
  EXPECT_THAT(runtime.error().text, HasSubstr("cuMemAlloc_v2"));
}

TEST(Runtime, AnUnknownFamilyNamesTheKnownOnes) {
  auto const runtime = open_runtime("abacus", {}, {});
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().kind, ErrorKind::usage);
  EXPECT_THAT(runtime.error().text, HasSubstr("cuda, musa"));
}

TEST(Runtime, ALibraryThatIsLoadedAlreadyGoesFirst) {
  // The copy is a second library to the loader; it would come first by the order alone.
  std::string const loaded = fake("libfake_runtime_mu.so");
  void* const handle = ::dlopen(loaded.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << ::dlerror();
  std::string const other = testing::TempDir() + "libzl_copied_runtime.so";
  std::filesystem::copy_file(loaded, other, std::filesystem::copy_options::overwrite_existing);
  auto const runtime = open_runtime("musa", {other, loaded}, {});
  ASSERT_TRUE(runtime) << runtime.error().text;
  EXPECT_EQ(runtime->library, loaded);
  std::filesystem::remove(other);
}

TEST(Runtime, TellsWhatAStatusMeansForTheProcess) {
  auto const runtime = open_runtime("cuda", {fake("libfake_runtime_cu.so")}, {});
  ASSERT_TRUE(runtime) << runtime.error().text;
  struct {
    StatusClass expected;
    std::vector<int> statuses;
  } const rows[] = {
      {StatusClass::success, {0}},
      {StatusClass::not_ready, {600}},
      {StatusClass::capture_only, {900, 901, 902, 903, 904, 905, 906, 907, 908}},
      {StatusClass::recoverable, {1, 2, 9, 98, 200, 209, 701, 801}},
      {StatusClass::sticky,
       {214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719, 999, 12345, -1}},
  };
  for (auto const& row : rows) {
    for (int const status : row.statuses) {
      EXPECT_EQ(runtime->classify(status), row.expected) << status;
    }
  }
  EXPECT_EQ(runtime->describe("launching", 700),
            "launching failed (ILLEGAL_ADDRESS, code 700): as the script says");
}

TEST(Runtime, DeviceCodeEndsAsALoaderOfTextExpects) {
  for (RuntimeFamily const& family : runtime_families()) {
    if (family.device_code.empty()) continue;
    EXPECT_EQ(family.device_code.data()[family.device_code.size()], '\0');
    for (char const* const kernel : {"nop", "stamp", "spin_ns", "flush_read"}) {
      EXPECT_NE(family.device_code.find(std::string(".entry ") + kernel), std::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace zl::backend
