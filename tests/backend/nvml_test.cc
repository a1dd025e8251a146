#include <chrono>
#include <gmock/gmock.h>

#include "backend/fake_libraries.h"

namespace zl::backend {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Enumeration ask_fake_nvml(double limit_s = 20) {
  return ask("nvml", kFakes + "libfake_nvml.so", limit_s);
}

Device fake_h200() {
  Device device;
  device.index = 0;
  device.uuid = "GPU-a0000000-1111-2222-3333-444444444444";
  device.pci = "0000:0f:00.0";
  device.name = "Fake H200";
  device.architecture = "sm_90";
  device.driver = "580.1.fake";
  device.memory_total_bytes = 150000000000;
  device.memory_free_bytes = 100000000000;
  device.busy_processes = 0;
  DeviceReadings& readings = device.readings;
  readings.clock_mhz = 345;
  readings.clock_max_mhz = 1980;
  readings.memory_clock_mhz = 2619;
  readings.memory_clock_max_mhz = 3201;
  readings.temperature_c = 41;
  readings.power_w = 76.5;
  readings.power_limit_w = 700;
  readings.health = "ok";
  readings.throttle_reasons.emplace();
  readings.processes.emplace();
  return device;
}

TEST(Nvml, TellsEverything) {
  ScopedVariable const processes("FAKE_NVML_PROCESSES", "3");
  ScopedVariable const reasons("FAKE_NVML_REASONS", "5");
  Enumeration const found = ask_fake_nvml();
  ASSERT_EQ(found.devices.size(), 1u);
  Device expected = fake_h200();
  expected.busy_processes = 3;
  expected.readings.processes = {{100, 1000}, {101, std::nullopt}, {102, 3000}};
  expected.readings.throttle_reasons = {"idle", "power_cap"};
  EXPECT_EQ(found.devices[0], expected);
  EXPECT_EQ(found.source, "nvml");
  EXPECT_TRUE(found.reachable);
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST(Nvml, SixteenDevices) {
  ScopedVariable const devices("FAKE_NVML_DEVICES", "16");
  Enumeration const found = ask_fake_nvml();
  ASSERT_EQ(found.devices.size(), 16u);
  EXPECT_EQ(found.devices[15].index, 15);
  EXPECT_EQ(found.devices[15].pci, "0000:1e:00.0");
  EXPECT_EQ(found.devices[15].busy_processes, 0);
}

TEST(Nvml, NoDeviceIsANote) {
  ScopedVariable const devices("FAKE_NVML_DEVICES", "0");
  Enumeration const found = ask_fake_nvml();
  EXPECT_THAT(found.devices, IsEmpty());
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("lists no device")));
}

TEST(Nvml, DeviceWithoutPermissionIsLeftOutAndKeepsTheOthersIndex) {
  ScopedVariable const devices("FAKE_NVML_DEVICES", "3");
  ScopedVariable const forbidden("FAKE_NVML_NO_PERMISSION", "1");
  Enumeration const found = ask_fake_nvml();
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[1].index, 2);
  EXPECT_THAT(found.notes, ElementsAre("nvml: no permission for device 1: left out"));
}

TEST(Nvml, LostDeviceHasNoValues) {
  ScopedVariable const lost("FAKE_NVML_LOST", "0");
  Enumeration const found = ask_fake_nvml();
  ASSERT_EQ(found.devices.size(), 1u);
  Device expected;
  expected.driver = "580.1.fake";
  expected.readings.health = "the device is lost";
  EXPECT_EQ(found.devices[0], expected) << "index 0, and what is not the device's own";
}

TEST(Nvml, DeviceThatIsLostBetweenTwoCallsKeepsWhatItSaidBefore) {
  ScopedVariable const lost("FAKE_NVML_LOST", "0");
  ScopedVariable const after("FAKE_NVML_LOST_AFTER", "2");
  Device const device = ask_fake_nvml().devices.at(0);
  EXPECT_EQ(device.name, "Fake H200");
  EXPECT_FALSE(device.memory_total_bytes.has_value());
  EXPECT_FALSE(device.readings.clock_mhz.has_value());
  EXPECT_EQ(device.readings.health, "the device is lost");
}

TEST(Nvml, PartsOfASplitDeviceAreListedPastTheGap) {
  ScopedVariable const mig("FAKE_NVML_MIG", "2");
  Enumeration const found = ask_fake_nvml();
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("device 0 is split into 2 MIG instances")));
  ASSERT_TRUE(found.devices.at(0).readings.instances.has_value());
  EXPECT_THAT(*found.devices.at(0).readings.instances,
              ElementsAre(DeviceInstance{"MIG-00000001-1111-2222-3333-444444444444",
                                         "Fake H200 MIG 1g.18gb", 18000000000},
                          DeviceInstance{"MIG-00000002-1111-2222-3333-444444444444",
                                         "Fake H200 MIG 1g.18gb", 18000000000}));
}

// The entries of the list are 16, 24 or 32 bytes apart.
TEST(Nvml, ProcessListsOfOtherDrivers) {
  ScopedVariable const processes("FAKE_NVML_PROCESSES", "3");
  for (char const* library : {"old", "oldest", "wide"}) {
    Device const device = ask("nvml", kFakes + "libfake_nvml_" + library + ".so").devices.at(0);
    EXPECT_EQ(device.busy_processes, 3) << library;
    EXPECT_THAT(*device.readings.processes,
                ElementsAre(DeviceProcess{100, 1000}, DeviceProcess{101, std::nullopt},
                            DeviceProcess{102, 3000}))
        << library;
  }
}

TEST(Nvml, ProcessListThatGrowsBetweenTwoCalls) {
  ScopedVariable const processes("FAKE_NVML_PROCESSES", "1");
  ScopedVariable const growing("FAKE_NVML_GROWING", "1");
  EXPECT_EQ(ask_fake_nvml().devices.at(0).busy_processes, 6);
}

TEST(Nvml, OlderDriversTellTheReasonsUnderAnotherName) {
  ScopedVariable const reasons("FAKE_NVML_REASONS", "0x48");
  EXPECT_THAT(*ask("nvml", kFakes + "libfake_nvml_old.so").devices.at(0).readings.throttle_reasons,
              ElementsAre("hw_slowdown", "hw_thermal"));
}

TEST(Nvml, HealthTellsTheWorstThing) {
  ScopedVariable const errors("FAKE_NVML_ECC", "4");
  EXPECT_EQ(ask_fake_nvml().devices.at(0).readings.health, "4 uncorrected memory errors");
  ScopedVariable const pending("FAKE_NVML_ROWS", "pending");
  EXPECT_EQ(ask_fake_nvml().devices.at(0).readings.health,
            "memory rows wait for a reset to be remapped");
  ScopedVariable const failed("FAKE_NVML_ROWS", "failed");
  EXPECT_EQ(ask_fake_nvml().devices.at(0).readings.health, "memory rows could not be remapped");
}

TEST(Nvml, InitErrorIsANoteWithItsText) {
  ScopedVariable const init("FAKE_NVML_INIT", "9");
  Enumeration const found = ask_fake_nvml();
  EXPECT_THAT(found.devices, IsEmpty());
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("does not start: Driver Not Loaded (code 9)")));
}

TEST(Nvml, LibraryAndDriverOfTwoVersionsIsANote) {
  ScopedVariable const init("FAKE_NVML_INIT", "18");
  EXPECT_THAT(ask_fake_nvml().notes, ElementsAre(HasSubstr("version mismatch (code 18)")));
}

TEST(Nvml, HangCostsTheLimitAndANote) {
  ScopedVariable const init("FAKE_NVML_INIT", "hang");
  auto const begin = std::chrono::steady_clock::now();
  Enumeration const found = ask_fake_nvml(0.2);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("did not answer within 0.2 s")));
  EXPECT_GE(took.count(), 0.2);
  EXPECT_LT(took.count(), 10);
  EXPECT_EQ(found.failures, found.notes);
}

TEST(Nvml, CrashIsANote) {
  ScopedVariable const init("FAKE_NVML_INIT", "crash");
  EXPECT_THAT(ask_fake_nvml().notes, ElementsAre(HasSubstr("signal 11")));
}

TEST(Nvml, MissingRequiredSymbolIsNamed) {
  EXPECT_THAT(
      ask("nvml", kFakes + "libfake_nvml_broken.so").notes,
      ElementsAre(HasSubstr("libfake_nvml_broken.so: has no symbol 'nvmlDeviceGetCount_v2'")));
}

TEST(Nvml, LibraryThatIsATextFileIsANote) {
  TempFolder const folder;
  folder.write("libnvidia-ml.so.1",
               "not a library, but long enough to be looked into by a loader\n");
  Enumeration const found = ask("nvml", (folder.path() / "libnvidia-ml.so.1").string());
  EXPECT_THAT(found.notes, ElementsAre(AllOf(HasSubstr("nvml: "), HasSubstr("libnvidia-ml.so.1"))));
}

}  // namespace
}  // namespace zl::backend
