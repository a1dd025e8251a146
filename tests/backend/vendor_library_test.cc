#include <chrono>
#include <gmock/gmock.h>

#include "backend/device.h"
#include "backend/library.h"
#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string const kFakes = ZL_BINARY_DIR "/tests/fakes/vendor_lib/";

Enumeration ask(std::string const& kind, std::string const& library, double limit_s = 5,
                Environment environment = {}) {
  ProbeOptions options;
  options.root = "/nonexistent";
  options.limit_s = limit_s;
  options.environment = std::move(environment);
  return enumerate_devices(
      parsed(small_descriptor("x", "",
                              "sources: [{kind: " + kind + ", libraries: ['" + library + "']}]")),
      options);
}

Enumeration ask_fake_nvml(double limit_s = 5) {
  return ask("nvml", kFakes + "libfake_nvml.so", limit_s);
}

TEST(Nvml, TellsEverything) {
  ScopedVariable const processes("FAKE_NVML_PROCESSES", "3");
  Enumeration const found = ask_fake_nvml();
  ASSERT_EQ(found.devices.size(), 1u);
  Device expected;
  expected.index = 0;
  expected.uuid = "GPU-a0000000-1111-2222-3333-444444444444";
  expected.pci = "0000:0f:00.0";
  expected.name = "Fake H200";
  expected.architecture = "sm_90";
  expected.memory_total_bytes = 150000000000;
  expected.memory_free_bytes = 100000000000;
  expected.busy_processes = 3;
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
  EXPECT_EQ(found.devices[0], Device{}) << "index 0 and nothing else";
}

TEST(Nvml, SplitDeviceIsNoted) {
  ScopedVariable const mig("FAKE_NVML_MIG", "1");
  EXPECT_THAT(ask_fake_nvml().notes, ElementsAre(HasSubstr("MIG instances")));
}

TEST(Nvml, OlderProcessListCountsToo) {
  ScopedVariable const processes("FAKE_NVML_PROCESSES", "2");
  EXPECT_EQ(ask("nvml", kFakes + "libfake_nvml_old.so").devices.at(0).busy_processes, 2);
}

TEST(Nvml, InitErrorIsANoteWithItsText) {
  ScopedVariable const init("FAKE_NVML_INIT", "9");
  Enumeration const found = ask_fake_nvml();
  EXPECT_THAT(found.devices, IsEmpty());
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("does not start: Driver Not Loaded (code 9)")));
}

TEST(Nvml, HangCostsTheLimitAndANote) {
  ScopedVariable const init("FAKE_NVML_INIT", "hang");
  auto const begin = std::chrono::steady_clock::now();
  Enumeration const found = ask_fake_nvml(0.2);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("did not answer within 0.2 s")));
  EXPECT_GE(took.count(), 0.2);
  EXPECT_LT(took.count(), 2.0);
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

TEST(Mtml, TellsWhatItHas) {
  Enumeration const found = ask("mtml", kFakes + "libfake_mtml.so");
  ASSERT_EQ(found.devices.size(), 1u);
  Device expected;
  expected.index = 0;
  expected.uuid = "50000000-aaaa-bbbb-cccc-dddddddddddd";
  expected.pci = "0000:c1:00.0";
  expected.name = "Fake MTT S5000 0";
  expected.memory_total_bytes = 80ull << 30;
  expected.memory_free_bytes = 64ull << 30;
  EXPECT_EQ(found.devices[0], expected);
}

TEST(Mtml, AddressFromNumbersOrNone) {
  {
    ScopedVariable const numbers("FAKE_MTML_EMPTY_SBDF", "1");
    EXPECT_EQ(ask("mtml", kFakes + "libfake_mtml.so").devices.at(0).pci, "0000:c1:00.0");
  }
  ScopedVariable const is_virtual("FAKE_MTML_VIRTUAL", "1");
  EXPECT_FALSE(ask("mtml", kFakes + "libfake_mtml.so").devices.at(0).pci.has_value());
}

TEST(Candidates, VariablesInPathsAreReplacedOrTheCandidateIsSkipped) {
  Environment const environment = {{"FAKES", kFakes}};
  EXPECT_EQ(ask("mtml", "${FAKES}/libfake_mtml.so", 5, environment).devices.size(), 1u);
  EXPECT_THAT(ask("mtml", "${FAKES}/libfake_mtml.so").notes,
              ElementsAre("mtml: no library candidate applies here"));
}

struct TwoSlots {
  int (*present)();
  int (*absent)();
};

TEST(Loader, SaysWhichLibraryAndWhichSymbols) {
  Symbol const symbols[] = {
      {"nvmlNewName", "nvmlShutdown", offsetof(TwoSlots, present), true},
      {"nvmlNothing", nullptr, offsetof(TwoSlots, absent), false},
  };
  TwoSlots slots{nullptr, [] { return 1; }};
  auto const loaded =
      load_library({"libdoes-not-exist.so.9", kFakes + "libfake_nvml.so"}, {}, symbols, &slots);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_EQ(loaded->library, kFakes + "libfake_nvml.so");
  EXPECT_THAT(loaded->older, ElementsAre("nvmlShutdown"));
  EXPECT_THAT(loaded->missing, ElementsAre("nvmlNothing"));
  ASSERT_NE(slots.present, nullptr);
  EXPECT_EQ(slots.present(), 0);
  EXPECT_EQ(slots.absent, nullptr);
}

TEST(Loader, ErrorGivesTheReasonOfEveryCandidate) {
  Symbol const symbols[] = {{"nvmlNothing", nullptr, offsetof(TwoSlots, present), true}};
  TwoSlots slots{};
  auto const loaded =
      load_library({"libdoes-not-exist.so.9", kFakes + "libfake_nvml.so"}, {}, symbols, &slots);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().text,
              AllOf(HasSubstr("libdoes-not-exist.so.9"),
                    HasSubstr("libfake_nvml.so: has no symbol 'nvmlNothing'")));
}

}  // namespace
}  // namespace zl::backend
