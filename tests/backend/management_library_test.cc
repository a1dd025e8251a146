// The management libraries that are asked before device nodes; NVML has a file of its own.
#include <gmock/gmock.h>

#include "backend/fake_libraries.h"
#include "backend/vendors/node_order.h"

namespace zl::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Library {
  char const* kind;
  char const* name;
  char const* variables;  // prefix of what scripts it
  char const* count;      // the variable's end that says how many devices
};

void PrintTo(Library const& library, std::ostream* out) {
  *out << library.kind;
}

Enumeration ask_of(Library const& library, double limit_s = 20) {
  return ask(library.kind, kFakes + "libfake_" + library.name + ".so", limit_s);
}

// What holds for every one of them.
class ManagementLibrary : public testing::TestWithParam<Library> {
 protected:
  std::string variable(char const* end) { return std::string(GetParam().variables) + end; }
};

TEST_P(ManagementLibrary, ListsAsManyDevicesAsThereAre) {
  ScopedVariable const sixteen(variable(GetParam().count), "16");
  Enumeration const found = ask_of(GetParam());
  ASSERT_EQ(found.devices.size(), 16u);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(found.devices[static_cast<std::size_t>(i)].index, i);
  EXPECT_EQ(found.source, GetParam().kind);
  EXPECT_TRUE(found.reachable);
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST_P(ManagementLibrary, NoDeviceIsANote) {
  ScopedVariable const none(variable(GetParam().count), "0");
  Enumeration const found = ask_of(GetParam());
  EXPECT_THAT(found.devices, IsEmpty());
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("lists no device")));
}

TEST_P(ManagementLibrary, StartThatFailsIsANoteWithTheCode) {
  ScopedVariable const init(variable("INIT"), "8");
  Enumeration const found = ask_of(GetParam());
  EXPECT_THAT(found.devices, IsEmpty());
  EXPECT_THAT(found.notes,
              ElementsAre(testing::AllOf(HasSubstr("does not start: "), HasSubstr("code 8"))));
  EXPECT_THAT(found.failures, IsEmpty());
}

TEST_P(ManagementLibrary, HangAndCrashAreFailures) {
  {
    ScopedVariable const init(variable("INIT"), "hang");
    EXPECT_THAT(ask_of(GetParam(), 0.2).failures,
                ElementsAre(HasSubstr("did not answer within 0.2 s")));
  }
  ScopedVariable const init(variable("INIT"), "crash");
  EXPECT_THAT(ask_of(GetParam()).failures, ElementsAre(HasSubstr("signal 11")));
}

INSTANTIATE_TEST_SUITE_P(Every, ManagementLibrary,
                         testing::Values(Library{"nvml", "nvml", "FAKE_NVML_", "DEVICES"},
                                         Library{"mtml", "mtml", "FAKE_MTML_", "DEVICES"},
                                         Library{"dcmi", "dcmi", "FAKE_DCMI_", "CARDS"},
                                         Library{"amdsmi", "amdsmi", "FAKE_AMDSMI_", "DEVICES"},
                                         Library{"rocm_smi", "rocm_smi", "FAKE_RSMI_", "DEVICES"}),
                         [](testing::TestParamInfo<Library> const& row) {
                           return std::string(row.param.kind);
                         });

Enumeration ask_fake(std::string const& kind, std::string const& end = "") {
  return ask(kind, kFakes + "libfake_" + kind + end + ".so");
}

TEST(Mtml, TellsWhatItHas) {
  Enumeration const found = ask_fake("mtml");
  ASSERT_EQ(found.devices.size(), 1u);
  Device expected;
  expected.index = 0;
  expected.uuid = "50000000-aaaa-bbbb-cccc-dddddddddddd";
  expected.pci = "0000:c1:00.0";
  expected.name = "Fake MTT S5000 0";
  expected.driver = "3.1.0-fake";
  expected.memory_total_bytes = 80ull << 30;
  expected.memory_free_bytes = 64ull << 30;
  expected.readings.clock_mhz = 800;
  expected.readings.clock_max_mhz = 1750;
  expected.readings.memory_clock_mhz = 1600;
  expected.readings.memory_clock_max_mhz = 1800;
  expected.readings.temperature_c = 45;
  expected.readings.power_w = 90;
  expected.readings.health = "ok";
  EXPECT_EQ(found.devices[0], expected);
}

TEST(Mtml, OlderLibraryTellsNoHealth) {
  Device const device = ask_fake("mtml", "_old").devices.at(0);
  EXPECT_FALSE(device.readings.health.has_value());
  EXPECT_EQ(device.readings.temperature_c, 45);
}

TEST(Mtml, HealthCountsErrors) {
  ScopedVariable const errors("FAKE_MTML_ECC", "2");
  EXPECT_EQ(ask_fake("mtml").devices.at(0).readings.health, "2 uncorrected memory errors");
}

TEST(Mtml, NameThatNeedsMoreRoomThanTheHeaderSays) {
  ScopedVariable const name("FAKE_MTML_LONG_NAME", "1");
  EXPECT_EQ(ask_fake("mtml").devices.at(0).name, "Fake MTT S5000 0");
}

TEST(Mtml, DeviceThatCannotBeOpenedIsLeftOutAndKeepsTheOthersIndex) {
  ScopedVariable const devices("FAKE_MTML_DEVICES", "3");
  ScopedVariable const lost("FAKE_MTML_LOST", "1");
  Enumeration const found = ask_fake("mtml");
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[1].index, 2);
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("device 1 left out: Failure (code 2)")));
}

TEST(Mtml, AddressFromNumbersOrNone) {
  {
    ScopedVariable const numbers("FAKE_MTML_EMPTY_SBDF", "1");
    EXPECT_EQ(ask_fake("mtml").devices.at(0).pci, "0000:c1:00.0");
  }
  ScopedVariable const is_virtual("FAKE_MTML_VIRTUAL", "1");
  EXPECT_FALSE(ask_fake("mtml").devices.at(0).pci.has_value());
}

Device fake_910b() {
  Device device;
  device.index = 0;
  device.uuid = "A0000000-A0000010-A0000020-A0000030-A0000040";
  device.pci = "0000:c1:00.0";
  device.name = "Fake 910B3";
  device.driver = "24.1.fake";
  device.memory_total_bytes = 64ull << 30;
  device.memory_free_bytes = 60ull << 30;
  device.busy_processes = 2;
  device.readings.clock_mhz = 800;
  device.readings.clock_max_mhz = 1800;
  device.readings.memory_clock_mhz = 1600;
  device.readings.temperature_c = 47;
  device.readings.power_w = 93.1;
  device.readings.health = "ok";
  device.readings.processes = {{200, 1000}, {201, 2000}};
  return device;
}

TEST(Dcmi, TellsTheProcessorsAndNotTheUnitsThatManageThem) {
  ScopedVariable const processes("FAKE_DCMI_PROCESSES", "2");
  EXPECT_THAT(ask_fake("dcmi").devices, ElementsAre(fake_910b()));
}

TEST(Dcmi, IndicesAreLogicalIdsWhateverTheOrderOfTheCards) {
  ScopedVariable const cards("FAKE_DCMI_CARDS", "3");
  Enumeration const found = ask_fake("dcmi");
  ASSERT_EQ(found.devices.size(), 3u);
  EXPECT_EQ(found.devices[2].index, 2);
  EXPECT_EQ(found.devices[2].pci, "0000:c3:00.0");
}

TEST(Dcmi, OlderNamesOfCallsAndStructures) {
  Device const device = ask_fake("dcmi", "_old").devices.at(0);
  EXPECT_EQ(device.name, "Ascend 910B");
  EXPECT_EQ(device.uuid, fake_910b().uuid);
}

TEST(Dcmi, PartWithoutHighBandwidthMemory) {
  ScopedVariable const ddr("FAKE_DCMI_DDR", "1");
  Device const device = ask_fake("dcmi").devices.at(0);
  EXPECT_EQ(device.memory_total_bytes, 24ull << 30);
  EXPECT_EQ(device.memory_free_bytes, 20ull << 30);
}

TEST(Dcmi, ContainerThatDoesNotTellTheAddress) {
  ScopedVariable const container("FAKE_DCMI_CONTAINER", "1");
  Device const device = ask_fake("dcmi").devices.at(0);
  EXPECT_FALSE(device.pci.has_value());
  EXPECT_EQ(device.name, "Fake 910B3");
  ScopedVariable const init("FAKE_DCMI_INIT", "-8013");
  EXPECT_THAT(ask_fake("dcmi").notes,
              ElementsAre(HasSubstr("code -8013, not supported in a container")));
}

TEST(Dcmi, DeviceThatDroppedOffIsLeftOut) {
  ScopedVariable const cards("FAKE_DCMI_CARDS", "2");
  ScopedVariable const lost("FAKE_DCMI_LOST", "0");
  Enumeration const found = ask_fake("dcmi");
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].index, 1);
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("unit 0 of card 0 left out")));
}

TEST(Dcmi, HealthInWords) {
  for (auto const& [code, text] :
       {std::pair{"2", "major alarm"}, {"0xFFFFFFFF", "the device is lost"}}) {
    ScopedVariable const health("FAKE_DCMI_HEALTH", code);
    EXPECT_EQ(ask_fake("dcmi").devices.at(0).readings.health, text);
  }
}

TEST(Amdsmi, TellsWhatItsStructuresBeginWith) {
  Enumeration const found = ask_fake("amdsmi");
  Device expected;
  expected.pci = "0002:c1:03.1";
  expected.name = "Fake MI300X 0";
  expected.memory_total_bytes = 192ull << 30;
  expected.memory_free_bytes = 191ull << 30;
  expected.readings.clock_mhz = 132;
  expected.readings.clock_max_mhz = 2100;
  expected.readings.memory_clock_mhz = 900;
  expected.readings.memory_clock_max_mhz = 1300;
  expected.readings.temperature_c = 43;
  expected.readings.health = "ok";
  EXPECT_THAT(found.devices, ElementsAre(expected));
}

TEST(Amdsmi, DevicesComeInTheRuntimesOrder) {
  ScopedVariable const devices("FAKE_AMDSMI_DEVICES", "3");
  Enumeration const found = ask_fake("amdsmi");
  ASSERT_EQ(found.devices.size(), 3u);
  EXPECT_EQ(found.devices[0].name, "Fake MI300X 2");
  EXPECT_EQ(found.devices[2].index, 2);
  Enumeration const by_address = ask_fake("amdsmi", "_without_nodes");
  EXPECT_EQ(by_address.devices.at(0).name, "Fake MI300X 0");
}

TEST(Amdsmi, ThousandthsOfADegreeAndErrors) {
  ScopedVariable const unit("FAKE_AMDSMI_MILLIDEGREES", "1");
  ScopedVariable const errors("FAKE_AMDSMI_ECC", "7");
  DeviceReadings const readings = ask_fake("amdsmi").devices.at(0).readings;
  EXPECT_EQ(readings.temperature_c, 43.5);
  EXPECT_EQ(readings.health, "7 uncorrected memory errors");
}

TEST(Amdsmi, ANumberOfAllOnesIsNone) {
  ScopedVariable const maximum("FAKE_AMDSMI_NO_MAXIMUM", "1");
  DeviceReadings const readings = ask_fake("amdsmi").devices.at(0).readings;
  EXPECT_EQ(readings.clock_mhz, 132);
  EXPECT_FALSE(readings.clock_max_mhz.has_value());
}

TEST(Amdsmi, DeviceThatAnswersNothingHasNoValues) {
  ScopedVariable const lost("FAKE_AMDSMI_LOST", "0");
  Device expected;
  expected.pci = "0002:c1:03.1";
  EXPECT_THAT(ask_fake("amdsmi").devices, ElementsAre(expected));
}

TEST(RocmSmi, TellsWhatItHas) {
  ScopedVariable const processes("FAKE_RSMI_PROCESSES", "2");
  Enumeration const found = ask_fake("rocm_smi");
  Device expected;
  expected.uuid = "GPU-0123456789abcde0";
  expected.pci = "0002:41:03.1";
  expected.name = "Fake MI250 0";
  expected.driver = "6.8.fake";
  expected.memory_total_bytes = 64ull << 30;
  expected.memory_free_bytes = 63ull << 30;
  expected.busy_processes = 2;
  expected.readings.temperature_c = 38.5;
  expected.readings.power_w = 92;
  expected.readings.power_limit_w = 560;
  expected.readings.health = "ok";
  expected.readings.processes = {{300, std::nullopt}, {301, std::nullopt}};
  EXPECT_THAT(found.devices, ElementsAre(expected));
}

TEST(RocmSmi, OlderReleaseHasAnotherPowerAndNoNodes) {
  ScopedVariable const devices("FAKE_RSMI_DEVICES", "2");
  EXPECT_EQ(ask_fake("rocm_smi").devices.at(0).name, "Fake MI250 1");
  Enumeration const old = ask_fake("rocm_smi", "_old");
  EXPECT_EQ(old.devices.at(0).name, "Fake MI250 0");
  EXPECT_EQ(old.devices.at(0).readings.power_w, 88);
}

TEST(RocmSmi, ConsumerCardHasNoUuidAndALostOneNoValues) {
  ScopedVariable const devices("FAKE_RSMI_DEVICES", "2");
  ScopedVariable const consumer("FAKE_RSMI_NO_UNIQUE_ID", "1");
  ScopedVariable const lost("FAKE_RSMI_LOST", "0");
  Enumeration const found = ask_fake("rocm_smi");
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[0].name, "Fake MI250 1");
  EXPECT_FALSE(found.devices[0].uuid.has_value());
  EXPECT_FALSE(found.devices[1].name.has_value());
  EXPECT_FALSE(found.devices[1].readings.power_w.has_value());
}

}  // namespace
}  // namespace zl::backend
