#include <gmock/gmock.h>

#include "backend/device.h"
#include "backend/registry.h"
#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class FakeTree : public testing::Test {
 protected:
  Enumeration enumerate(Descriptor const& descriptor) {
    ProbeOptions options;
    options.root = root_.path();
    return enumerate_devices(descriptor, options);
  }
  Descriptor rocm() {
    static auto const registry = Registry::load({});
    return **registry->find("rocm");
  }
  void add_pci(std::string const& address, std::string const& vendor, std::string const& type) {
    root_.write("/sys/bus/pci/devices/" + address + "/vendor", vendor + "\n");
    root_.write("/sys/bus/pci/devices/" + address + "/class", type + "\n");
  }
  // One GPU node of the KFD topology; `properties` replaces nothing, it is added.
  void add_gpu(int node, std::string const& properties) {
    std::string const folder = "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(node);
    root_.write(folder + "/properties", "cpu_cores_count 0\nsimd_count 1216\n" + properties);
    root_.write(folder + "/gpu_id", std::to_string(1000 + node) + "\n");
    root_.write(folder + "/name", "ip discovery\n");
    root_.write(folder + "/mem_banks/0/properties", "heap_type 2\nsize_in_bytes 206141652992\n");
    root_.write(folder + "/mem_banks/1/properties", "heap_type 0\nsize_in_bytes 1\n");
  }

  TempFolder root_;
};

TEST_F(FakeTree, NodesComeInNumericOrderAndAreRanked) {
  for (char const* name : {"x10", "x2", "xctl", "x", "x3a", "y0"}) {
    root_.write(std::string("/dev/") + name, "");
  }
  Enumeration const found = enumerate(parsed(
      small_descriptor("x", "", "sources: [{kind: device_nodes, patterns: ['/dev/x{N}']}]")));
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[0].node, "/dev/x2");
  EXPECT_EQ(found.devices[0].index, 0);
  EXPECT_EQ(found.devices[1].node, "/dev/x10");
  EXPECT_EQ(found.devices[1].index, 1);
  EXPECT_FALSE(found.devices[0].uuid.has_value());
  EXPECT_TRUE(found.reachable);
}

TEST_F(FakeTree, NodeThatCannotBeOpenedIsLeftOut) {
  root_.write("/dev/x1", "");
  std::filesystem::create_symlink("gone", root_.path() / "dev/x0");
  Enumeration const found = enumerate(parsed(
      small_descriptor("x", "", "sources: [{kind: device_nodes, patterns: ['/dev/x{N}']}]")));
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].node, "/dev/x1");
  EXPECT_EQ(found.devices[0].index, 0);
  EXPECT_THAT(found.notes, Contains("device_nodes: cannot open /dev/x0"));
}

TEST_F(FakeTree, PciNeedsVendorAndClass) {
  add_pci("0000:81:00.0", "0x10de", "0x030200");
  add_pci("0000:0F:00.0", "0x10de", "0x120000");
  add_pci("0000:81:00.1", "0x10de", "0x040300");  // its sound function
  add_pci("0000:05:00.0", "0x1002", "0x030000");
  Enumeration const found = enumerate(parsed(small_descriptor(
      "x", "", "sources: [{kind: pci, pci_vendor_id: '0x10de', pci_classes: ['0x03', '0x12']}]")));
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[0].pci, "0000:0f:00.0");
  EXPECT_EQ(found.devices[1].pci, "0000:81:00.0");
  EXPECT_FALSE(found.reachable);
  EXPECT_THAT(found.notes, Contains(HasSubstr("on the bus only")));
}

TEST_F(FakeTree, FallsThroughToTheNextSourceAndSaysWhy) {
  add_pci("0000:05:00.0", "0x1002", "0x030000");
  Enumeration const found = enumerate(rocm());
  EXPECT_EQ(found.source, "pci");
  EXPECT_THAT(found.notes, Contains(HasSubstr("kfd: no /dev/kfd")));
}

TEST_F(FakeTree, EmptyMachineHasNotesAndNoDevice) {
  Enumeration const found = enumerate(rocm());
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.source, "");
  EXPECT_FALSE(found.reachable);
  EXPECT_EQ(found.notes.size(), 4u) << "one a source";
}

TEST_F(FakeTree, KfdTellsEverything) {
  root_.write("/dev/kfd", "");
  root_.write("/dev/dri/renderD128", "");
  root_.write("/sys/class/kfd/kfd/topology/nodes/0/properties",
              "cpu_cores_count 96\nsimd_count 0\n");
  add_gpu(1,
          "location_id 49409\ndomain 2\ngfx_target_version 90402\nunique_id 81985529216486895\n"
          "drm_render_minor 128\n");
  root_.write("/sys/class/drm/renderD128/device/product_name", "AMD Instinct MI300X\n");
  root_.write("/sys/class/drm/renderD128/device/mem_info_vram_used", "141652992\n");
  std::string const display = "/sys/class/drm/renderD128/device/";
  root_.write(display + "pp_dpm_sclk", "0: 132Mhz *\n1: 2100Mhz\n");
  root_.write(display + "pp_dpm_mclk", "0: 900Mhz\n1: 1300Mhz *\n2: 1200Mhz\n");
  root_.write(display + "ras/umc_err_count", "ue: 0\nce: 3\n");
  root_.write(display + "hwmon/hwmon4/temp1_input", "43500\n");
  root_.write(display + "hwmon/hwmon4/power1_average", "138000000\n");
  root_.write(display + "hwmon/hwmon4/power1_cap", "750000000\n");
  root_.write("/sys/module/amdgpu/version", "6.8.5\n");
  root_.write("/sys/class/kfd/kfd/proc/77/vram_1001", "4096\n");
  root_.write("/sys/class/kfd/kfd/proc/78/vram_1001", "0\n");
  Enumeration const found = enumerate(rocm());
  ASSERT_EQ(found.devices.size(), 1u);
  Device expected;
  expected.index = 0;
  expected.uuid = "GPU-0123456789abcdef";
  expected.pci = "0002:c1:00.1";
  expected.name = "AMD Instinct MI300X";
  expected.architecture = "gfx942";
  expected.node = "/dev/dri/renderD128";
  expected.memory_total_bytes = 206141652992;
  expected.memory_free_bytes = 206000000000;
  expected.busy_processes = 1;
  expected.driver = "6.8.5";
  expected.readings.clock_mhz = 132;
  expected.readings.clock_max_mhz = 2100;
  expected.readings.memory_clock_mhz = 1300;
  expected.readings.memory_clock_max_mhz = 1300;
  expected.readings.temperature_c = 43.5;
  expected.readings.power_w = 138;
  expected.readings.power_limit_w = 750;
  expected.readings.health = "ok";
  expected.readings.processes = {{77, 4096}};
  EXPECT_EQ(found.devices[0], expected);
  EXPECT_TRUE(found.reachable);
}

TEST_F(FakeTree, KfdTellsTheOtherSensorAndErrors) {
  root_.write("/dev/kfd", "");
  root_.write("/dev/dri/renderD128", "");
  add_gpu(1, "drm_render_minor 128\n");
  std::string const display = "/sys/class/drm/renderD128/device/";
  root_.write(display + "ras/umc_err_count", "ue: 2\nce: 3\n");
  root_.write(display + "hwmon/hwmon4/power1_input", "90000000\n");
  root_.write(display + "pp_dpm_sclk", "no clock here: at all\n");
  DeviceReadings const readings = enumerate(rocm()).devices.at(0).readings;
  EXPECT_EQ(readings.health, "2 uncorrected memory errors");
  EXPECT_EQ(readings.power_w, 90);
  EXPECT_FALSE(readings.clock_mhz.has_value());
  EXPECT_FALSE(readings.clock_max_mhz.has_value());
  EXPECT_FALSE(readings.temperature_c.has_value());
}

TEST_F(FakeTree, KfdWithoutAValueLeavesItOut) {
  root_.write("/dev/kfd", "");
  add_gpu(2, "gfx_target_version 110000\nunique_id 0\n");
  Enumeration const found = enumerate(rocm());
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_FALSE(found.devices[0].uuid.has_value());
  EXPECT_FALSE(found.devices[0].pci.has_value());
  EXPECT_FALSE(found.devices[0].memory_free_bytes.has_value());
  EXPECT_FALSE(found.devices[0].busy_processes.has_value());
  EXPECT_EQ(found.devices[0].architecture, "gfx1100");
}

TEST_F(FakeTree, KfdLeavesOutWhatThisContainerCannotOpen) {
  root_.write("/dev/kfd", "");
  root_.write("/dev/dri/renderD130", "");
  add_gpu(1, "drm_render_minor 129\n");
  add_gpu(2, "drm_render_minor 130\n");
  Enumeration const found = enumerate(rocm());
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].node, "/dev/dri/renderD130");
  EXPECT_EQ(found.devices[0].index, 0);
  EXPECT_THAT(found.notes, Contains(HasSubstr("renderD129")));
}

TEST_F(FakeTree, HostIsOneDeviceWithNameAndMemory) {
  root_.write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n");
  root_.write("/proc/meminfo", "MemTotal:       16000 kB\nMemAvailable:    4000 kB\n");
  Enumeration const found = enumerate(parsed(small_descriptor("h")));
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].name, "Some CPU @ 2 GHz");
  EXPECT_EQ(found.devices[0].memory_total_bytes, 16384000u);
  EXPECT_EQ(found.devices[0].memory_free_bytes, 4096000u);
  EXPECT_FALSE(found.devices[0].uuid.has_value());
}

TEST(Pci, AddressesAreNormalised) {
  EXPECT_EQ(normalise_pci("00000000:0F:00.0"), "0000:0f:00.0");
  EXPECT_EQ(normalise_pci("0001:C1:1f.7"), "0001:c1:1f.7");
  for (char const* bad : {"", "0000:0f:00", "0f:00.0", "0000:0f:00.0.1", "0000:xx:00.0", ":::."}) {
    EXPECT_FALSE(normalise_pci(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace zl::backend
