// Families whose libraries have other symbols than the shared table's.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <thread>

#include "backend/registry.h"
#include "backend/runtime.h"

namespace zl::backend {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int kNotReady = 600;

struct Opened {
  DeviceRuntime runtime;
  void* library = nullptr;

  template <class Function>
  Function* entry(char const* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }
  Handle captured() { return entry<Handle(int)>("base_CapturedGraph")(2); }
};

Opened open(std::string_view family, std::string const& name) {
  std::string const path = ZL_BINARY_DIR "/tests/fakes/vendor_lib/libfake_runtime_" + name + ".so";
  auto runtime = open_runtime(family, {path}, {});
  if (!runtime) throw std::runtime_error(runtime.error().text);
  Opened opened{std::move(*runtime), ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)};
  Handle context = nullptr;
  EXPECT_EQ(opened.runtime.api.init(0), 0);
  EXPECT_EQ(opened.runtime.api.primary_retain(&context, 0), 0);
  EXPECT_NE(context, nullptr);
  return opened;
}

Handle recorded_event(DeviceRuntime const& runtime) {
  Handle event = nullptr;
  DeviceAddress memory = 0;
  if (runtime.api.event_create(&event, 0) != 0) throw std::runtime_error("no event");
  EXPECT_EQ(runtime.api.memory_alloc(&memory, 1024), 0);
  EXPECT_EQ(runtime.api.memset_async(memory, 0, 256, nullptr), 0);
  EXPECT_EQ(runtime.api.event_record(event, nullptr), 0);
  return event;
}

TEST(RuntimeLevel, HasNoTimesInGraphsWhateverSymbolsAreThere) {
  auto const opened = open("hip", "hip");
  auto const features = opened.runtime.features();
  EXPECT_TRUE(features.graphs);
  EXPECT_FALSE(features.graph_event_nodes);
  EXPECT_TRUE(features.stream_wait_value);
  EXPECT_FALSE(features.device_code);
  EXPECT_NE(opened.runtime.api.graph_add_event, nullptr);
}

TEST(RuntimeLevel, AddsAMemsetToAGraphInTheLibrarysOwnStructure) {
  auto const opened = open("hip", "hip");
  RuntimeApi const& api = opened.runtime.api;
  Handle graph = nullptr;
  Handle node = nullptr;
  ASSERT_EQ(api.graph_create(&graph, 0), 0);
  MemsetNode const memset{0x1000, 0, 0, 4, 256, 1};
  EXPECT_EQ(api.graph_add_memset(&node, graph, nullptr, 0, &memset, nullptr), 0);
  int type = -1;
  EXPECT_EQ(api.graph_node_type(node, &type), 0);
  EXPECT_EQ(type, 2);
  EXPECT_EQ(api.graph_destroy(graph), 0);
}

TEST(RuntimeLevel, AsksForAttributesByItsOwnNumbers) {
  auto const opened = open("hip", "hip");
  RuntimeFamily const& family = *opened.runtime.family;
  int value = 0;
  EXPECT_EQ(opened.runtime.api.device_attribute(&value, family.multiprocessors_attribute, 0), 0);
  EXPECT_EQ(value, 4);
  EXPECT_EQ(opened.runtime.api.device_attribute(&value, family.cache_attribute, 0), 0);
  EXPECT_EQ(value, 60 << 20);
}

// A framework asks for the last error after each of its launches.
TEST(RuntimeLevel, NoFailureOfOursIsLeftForTheFramework) {
  auto opened = open("hip", "hip");
  auto* const last_error = opened.entry<int()>("hipPeekAtLastError");
  Handle const event = recorded_event(opened.runtime);
  EXPECT_EQ(opened.runtime.api.event_query(event), kNotReady);
  EXPECT_EQ(last_error(), 0);
  DeviceAddress memory = 0;
  EXPECT_NE(opened.runtime.api.memory_alloc(&memory, std::size_t{1} << 50), 0);
  EXPECT_EQ(last_error(), 0);
  EXPECT_EQ(opened.runtime.api.stream_synchronize(nullptr), 0);
  EXPECT_EQ(opened.runtime.api.event_query(event), 0);
  EXPECT_EQ(opened.runtime.api.event_destroy(event), 0);
}

TEST(RuntimeLevel, AThreadOnAnotherDeviceHasNoContextOfOurs) {
  auto opened = open("hip", "hip");
  Handle context = nullptr;
  EXPECT_EQ(opened.runtime.api.context_current(&context), 0);
  EXPECT_NE(context, nullptr);
  Handle const ours = context;
  opened.entry<int(int)>("hipSetDevice")(1);
  EXPECT_EQ(opened.runtime.api.context_current(&context), 0);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(opened.runtime.api.context_set(ours), 0);
  int device = -1;
  opened.entry<int(int*)>("hipGetDevice")(&device);
  EXPECT_EQ(device, 0);
}

TEST(RuntimeLevel, ReadsGraphsWhateverTheLibrarysNumbersAre) {
  for (char const* const library : {"hip", "hip_old"}) {
    SCOPED_TRACE(library);
    auto opened = open("hip", library);
    RuntimeApi const& api = opened.runtime.api;
    Handle const graph = opened.captured();
    Handle nodes[2] = {};
    std::size_t count = 2;
    ASSERT_EQ(api.graph_nodes(graph, nodes, &count), 0);
    int type = -1;
    EXPECT_EQ(api.graph_node_type(nodes[1], &type), 0);
    EXPECT_EQ(type, 0);
    KernelNode kernel{};
    EXPECT_EQ(api.graph_kernel(nodes[1], &kernel), 0);
    EXPECT_EQ(kernel.function, opened.entry<Handle()>("base_WorkKernel")());
    EXPECT_EQ(kernel.grid[0], 7u);
    EXPECT_EQ(kernel.block[0], 64u);
    EXPECT_EQ(api.graph_destroy(graph), 0);
  }
}

TEST(RuntimeLevel, AnOldLibraryDoesWithoutItsNewerSymbols) {
  auto const opened = open("hip", "hip_old");
  EXPECT_THAT(opened.runtime.missing, Contains("hipStreamWaitValue32"));
  EXPECT_FALSE(opened.runtime.features().stream_wait_value);
  EXPECT_TRUE(opened.runtime.features().graphs);
}

TEST(RuntimeLevel, AnotherPrefixHasStreamsAndEventsOnly) {
  auto const opened = open("maca", "mc");
  auto const features = opened.runtime.features();
  EXPECT_FALSE(features.graphs);
  EXPECT_FALSE(features.stream_wait_value);
  EXPECT_EQ(opened.runtime.api.device_attribute, nullptr);
  Handle const event = recorded_event(opened.runtime);
  EXPECT_EQ(opened.runtime.classify(opened.runtime.api.event_query(event)), StatusClass::not_ready);
}

TEST(RuntimeLevel, TellsAStatusByItsOwnName) {
  auto const opened = open("hip", "hip");
  EXPECT_EQ(opened.runtime.describe("launching", 700),
            "launching failed (hipErrorIllegalAddress, code 700): as the script says");
}

TEST(Acl, HasEventsOnlyAndTakesALibraryThatIsInUseAlready) {
  auto const opened = open("acl", "acl");
  EXPECT_EQ(opened.runtime.api.init(0), 0);  // a second time
  auto const features = opened.runtime.features();
  EXPECT_FALSE(features.graphs);
  EXPECT_FALSE(features.stream_wait_value);
  EXPECT_FALSE(features.device_code);
  Handle const event = recorded_event(opened.runtime);
  EXPECT_EQ(opened.runtime.classify(opened.runtime.api.event_query(event)), StatusClass::not_ready);
  EXPECT_EQ(opened.runtime.api.context_synchronize(), 0);
  EXPECT_EQ(opened.runtime.api.event_query(event), 0);
}

TEST(Acl, AThreadHasNoContextUntilItIsGivenOurs) {
  auto const opened = open("acl", "acl");
  std::thread([&] {
    RuntimeApi const& api = opened.runtime.api;
    Handle context = nullptr;
    EXPECT_EQ(api.context_current(&context), 0);
    EXPECT_EQ(context, nullptr);
    Handle taken = nullptr;
    EXPECT_EQ(api.primary_retain(&taken, 0), 0);
    EXPECT_EQ(api.context_set(taken), 0);
    EXPECT_EQ(api.context_current(&context), 0);
    EXPECT_EQ(context, taken);
  }).join();
}

TEST(Acl, AnOldLibraryHasEventsWithoutFlagsAndTellsNoCapabilities) {
  auto const opened = open("acl", "acl_old");
  EXPECT_THAT(opened.runtime.missing, Contains("aclrtCreateEventExWithFlag"));
  EXPECT_THAT(opened.runtime.missing, Contains("aclGetDeviceCapability"));
  EXPECT_EQ(opened.runtime.api.device_attribute, nullptr);
  EXPECT_NE(recorded_event(opened.runtime), nullptr);
}

TEST(Acl, TellsWhatAStatusMeansForTheProcess) {
  auto const opened = open("acl", "acl");
  struct {
    StatusClass expected;
    std::vector<int> statuses;
  } const rows[] = {
      {StatusClass::success, {0}},
      {StatusClass::not_ready, {507006}},
      {StatusClass::capture_only, {107024, 107031, 507903}},
      {StatusClass::recoverable, {100000, 107000, 107002, 200000, 207000, 207001, 207018}},
      {StatusClass::sticky, {107020, 107022, 507000, 507014, 507015, 507018, 507035, 507899, -1}},
  };
  for (auto const& row : rows) {
    for (int const status : row.statuses) {
      EXPECT_EQ(opened.runtime.classify(status), row.expected) << status;
    }
  }
  EXPECT_THAT(opened.runtime.describe("launching", 507015), HasSubstr("EZ9999: Inner Error!"));
}

// Both set bytes: a word of four different ones would come out wrong, and silently.
TEST(OwnTable, AWordThatIsNoRepeatedByteIsRefused) {
  for (auto const& [family, library] : {std::pair("hip", "hip"), std::pair("acl", "acl")}) {
    SCOPED_TRACE(family);
    auto const opened = open(family, library);
    DeviceAddress memory = 0;
    EXPECT_EQ(opened.runtime.api.memory_alloc(&memory, 64), 0);
    EXPECT_EQ(opened.runtime.api.memset_async(memory, 0x2a2a2a2a, 16, nullptr), 0);
    int const status = opened.runtime.api.memset_async(memory, 42, 16, nullptr);
    EXPECT_EQ(opened.runtime.classify(status), StatusClass::recoverable);
    EXPECT_EQ(opened.runtime.api.memory_free(memory), 0);
  }
}

TEST(OwnTable, ALibraryThatLacksASymbolIsNamedAndHurtsNoOther) {
  struct {
    char const* family;
    char const* library;
    char const* symbol;
  } const rows[] = {{"hip", "hip", "hipMalloc"}, {"acl", "acl", "aclrtMalloc"}};
  for (auto const& [family, library, symbol] : rows) {
    auto const opened = open(family, library);
    std::string const broken = ZL_BINARY_DIR "/tests/fakes/vendor_lib/libfake_runtime_" +
                               std::string(library) + "_broken.so";
    auto const failed = open_runtime(family, {broken}, {});
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().text, HasSubstr(symbol));
    DeviceAddress memory = 0;
    EXPECT_EQ(opened.runtime.api.memory_alloc(&memory, 64), 0);
  }
}

// A descriptor that names a family nobody knows would only be noticed on the vendor's machine.
TEST(OwnTable, EveryDescriptorsFamilyIsKnownOrStillMissing) {
  std::set<std::string_view> known = {"host"};
  for (RuntimeFamily const& family : runtime_families()) known.insert(family.name);
  std::set<std::string> missing;
  auto const registry = Registry::load({});
  ASSERT_TRUE(registry) << registry.error().text;
  for (Descriptor const& descriptor : registry->all()) {
    if (!known.contains(descriptor.runtime.family)) missing.insert(descriptor.runtime.family);
  }
  EXPECT_EQ(missing, (std::set<std::string>{"aipu", "cnrt", "ppu", "tx"}));
}

}  // namespace
}  // namespace zl::backend
