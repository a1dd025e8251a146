#include "backend/device_state.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "backend/vendors/vendor_runtimes.h"

namespace zl::backend {
namespace {

std::string const kFakes = ZL_BINARY_DIR "/tests/fakes/vendor_lib/";
std::string const kLibrary = kFakes + "libfake_nvml.so";

// A library scripted by the environment, which is as before after it.
class NvmlStateTest : public testing::Test {
 protected:
  void TearDown() override {
    for (char const* const name : {"FAKE_NVML_REASONS", "FAKE_NVML_LOST", "FAKE_NVML_INIT",
                                   "FAKE_NVML_DEVICES", "FAKE_NVML_NO_PERMISSION"}) {
      ::unsetenv(name);
    }
  }
  static void set(char const* name, char const* value) { ::setenv(name, value, 1); }
  static int users() {
    void* const library = ::dlopen(kLibrary.c_str(), RTLD_NOW | RTLD_LOCAL);
    return *static_cast<int*>(::dlsym(library, "fake_nvml_users"));
  }
};

struct Reasons {
  char const* bits;
  bool is_slowed_down;
  bool is_power_capped;
};

TEST_F(NvmlStateTest, TellsSlowdownsFromACapAndFromWhatIsHarmless) {
  auto const reader = open_nvml_state({kLibrary}, "0000:0F:00.0");
  ASSERT_NE(reader, nullptr);
  for (Reasons const& expected : {Reasons{"0", false, false},
                                  {"1", false, false},   // idle
                                  {"2", false, false},   // a clock that was set
                                  {"4", false, true},    // software's power cap
                                  {"8", true, false},    // hardware's slowdown
                                  {"32", true, false},   // heat, by the driver
                                  {"64", true, false},   // heat, by the hardware
                                  {"128", true, false},  // power brake
                                  {"76", true, true},
                                  {"256", false, false}}) {
    set("FAKE_NVML_REASONS", expected.bits);
    auto const state = reader->state();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->is_slowed_down, expected.is_slowed_down) << expected.bits;
    EXPECT_EQ(state->is_power_capped, expected.is_power_capped) << expected.bits;
  }
  EXPECT_EQ(reader->temperature_c(), 41);
}

TEST_F(NvmlStateTest, AsksTheDeviceAtTheAddress) {
  set("FAKE_NVML_DEVICES", "2");
  set("FAKE_NVML_REASONS", "8");  // of the first one
  auto const second = open_nvml_state({kLibrary}, "0000:10:00.0");
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(second->state()->is_slowed_down);
  EXPECT_EQ(second->temperature_c(), 42);
  EXPECT_EQ(open_nvml_state({kLibrary}, "0000:11:00.0"), nullptr);
}

TEST_F(NvmlStateTest, OlderLibrariesHaveTheSameUnderAnotherName) {
  set("FAKE_NVML_REASONS", "64");
  auto const reader = open_nvml_state({kFakes + "libfake_nvml_old.so"}, "0000:0F:00.0");
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(reader->state()->is_slowed_down);
}

TEST_F(NvmlStateTest, NobodyTellsWhereTheLibraryIsMissingOrDoesNotStart) {
  EXPECT_EQ(open_nvml_state({kFakes + "libno_such.so"}, "0000:0F:00.0"), nullptr);
  set("FAKE_NVML_INIT", "9");
  EXPECT_EQ(open_nvml_state({kLibrary}, "0000:0F:00.0"), nullptr);
  ::unsetenv("FAKE_NVML_INIT");
  set("FAKE_NVML_NO_PERMISSION", "0");
  EXPECT_EQ(open_nvml_state({kLibrary}, "0000:0F:00.0"), nullptr);
}

TEST_F(NvmlStateTest, ADeviceThatIsLostTellsNothing) {
  auto const reader = open_nvml_state({kLibrary}, "0000:0F:00.0");
  ASSERT_NE(reader, nullptr);
  set("FAKE_NVML_LOST", "0");
  EXPECT_FALSE(reader->state());
  EXPECT_FALSE(reader->temperature_c());
}

// The whole way from an ordinal of the runtime; in a process of its own, which keeps the library.
TEST_F(NvmlStateTest, IsFoundByTheFamilyThroughTheRuntime) {
  set("FAKE_NVML_REASONS", "64");
  EXPECT_EXIT(
      {
        ::dlopen((kFakes + "libfake_nvml_named.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        auto const runtime = open_runtime("cuda", {kFakes + "libfake_runtime_cu.so"}, {});
        auto const reader = open_device_state(*runtime, 0);
        bool const is_told = reader != nullptr && reader->state()->is_slowed_down;
        ::_exit(is_told ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NvmlStateTest, ShutsDownWhatItStarted) {
  int const before = users();
  auto reader = open_nvml_state({kLibrary}, "0000:0F:00.0");
  EXPECT_EQ(users(), before + 1);
  EXPECT_EQ(open_nvml_state({kLibrary}, "0000:7F:00.0"), nullptr);
  EXPECT_EQ(users(), before + 1);
  reader.reset();
  EXPECT_EQ(users(), before);
}

std::string asked_address;

class NoState : public DeviceStateReader {
  std::optional<DeviceState> state() override { return std::nullopt; }
  std::optional<double> temperature_c() override { return std::nullopt; }
};

int tell_address(char* address, int bytes, int device) {
  std::strncpy(address, device == 3 ? "0000:0F:00.0" : "", static_cast<std::size_t>(bytes));
  return device == 3 ? 0 : 101;
}

TEST(DeviceState, IsAskedAtTheRuntimesOwnAddressOfTheDevice) {
  RuntimeFamily family{};
  family.open_state = [](char const* address) -> std::unique_ptr<DeviceStateReader> {
    asked_address = address;
    return std::make_unique<NoState>();
  };
  DeviceRuntime runtime;
  runtime.family = &family;
  EXPECT_EQ(open_device_state(runtime, 3), nullptr);  // without the symbol
  runtime.api.device_pci_address = tell_address;
  EXPECT_EQ(open_device_state(runtime, 4), nullptr);
  EXPECT_EQ(asked_address, "");
  EXPECT_NE(open_device_state(runtime, 3), nullptr);
  EXPECT_EQ(asked_address, "0000:0F:00.0");
  family.open_state = nullptr;
  EXPECT_EQ(open_device_state(runtime, 3), nullptr);
}

}  // namespace
}  // namespace zl::backend
