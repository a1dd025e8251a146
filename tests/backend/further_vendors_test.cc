// The descriptors of every vendor that FlagGems has, held against FlagGems' own list.
#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <set>
#include <sys/utsname.h>

#include "backend/choice.h"
#include "backend/support.h"
#include "backend/visibility.h"

namespace zl::backend {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

// FlagGems ed2508b, src/flag_gems/runtime/backend/_*/.
std::set<std::string> const kFlagGemsVendors = {
    "aipu",      "amd",   "arm",      "ascend", "cambricon", "enflame", "hygon", "iluvatar",
    "kunlunxin", "metax", "mthreads", "nvidia", "spacemit",  "sunrise", "thead", "tsingmicro"};

Registry built_in() {
  auto registry = Registry::load({});
  EXPECT_TRUE(registry.has_value()) << registry.error().text;
  return registry ? *registry : Registry();
}

Descriptor built_in(std::string const& name) {
  return **built_in().find(name);
}

std::string this_machine() {
  utsname machine{};
  return ::uname(&machine) == 0 ? machine.machine : "";
}

TEST(EveryVendor, OfFlagGemsHasADescriptor) {
  auto const vendors = built_in().vendors();
  EXPECT_EQ(std::set<std::string>(vendors.begin(), vendors.end()), kFlagGemsVendors);
}

TEST(EveryVendor, OfTheCheckoutIsInTheList) {
  char const* const checkout = std::getenv("ZL_TEST_FLAGGEMS");
  if (checkout == nullptr) GTEST_SKIP() << "ZL_TEST_FLAGGEMS names no FlagGems checkout";
  std::set<std::string> found;
  for (auto const& entry :
       fs::directory_iterator(fs::path(checkout) / "src/flag_gems/runtime/backend")) {
    std::string const name = entry.path().filename().string();
    if (name[0] == '_' && name[1] != '_' && fs::exists(entry.path() / "__init__.py")) {
      found.insert(name.substr(1));
    }
  }
  EXPECT_EQ(found, kFlagGemsVendors);
}

TEST(EveryVendor, HasOneDescriptorAndNoWordIsSharedByTwo) {
  std::set<std::string> vendors;
  std::set<std::string> words;
  Registry const registry = built_in();
  for (Descriptor const& each : registry.all()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(each.vendor.empty() || vendors.insert(each.vendor).second);
    EXPECT_TRUE(words.insert(each.name).second);
    for (std::string const& alias : each.aliases) EXPECT_TRUE(words.insert(alias).second) << alias;
  }
}

TEST(EveryVendor, IsFoundByFlagGemsOwnName) {
  Registry const registry = built_in();
  for (std::string const& vendor : kFlagGemsVendors) {
    auto const found = registry.find(vendor);
    ASSERT_TRUE(found.has_value()) << found.error().text;
    EXPECT_EQ((*found)->vendor, vendor);
  }
}

// Only there is FlagGems' answer to PPU_SDK the right one.
TEST(EveryVendor, ButOneRemovesTheVariableThatForcesIt) {
  Registry const registry = built_in();
  for (Descriptor const& each : registry.all()) {
    bool const removes =
        std::any_of(each.override_variables.begin(), each.override_variables.end(),
                    [](auto const& variable) { return variable.name == "PPU_SDK"; });
    EXPECT_EQ(removes, each.name != "thead") << each.name;
  }
}

struct Row {
  char const* backend;
  char const* alias;
  char const* device;
  char const* torch_module;
  std::vector<std::string> visibility;  // the first pins
  std::vector<std::string> sources;
};

void PrintTo(Row const& row, std::ostream* out) {
  *out << row.backend;
}

class FurtherVendor : public testing::TestWithParam<Row> {};

TEST_P(FurtherVendor, SaysWhatFlagGemsSays) {
  Row const& row = GetParam();
  Descriptor const found = built_in(row.alias);
  EXPECT_EQ(found.name, row.backend);
  EXPECT_EQ(found.vendor, row.backend);
  EXPECT_EQ(found.torch_device, row.device);
  EXPECT_EQ(found.torch_module.value_or(""), row.torch_module);
  EXPECT_FALSE(found.verified);
  std::vector<std::string> variables;
  for (VisibilityVariable const& variable : found.visibility) {
    variables.push_back(variable.name);
    EXPECT_EQ(variable.empty, VisibilityVariable::Empty::none);
    EXPECT_FALSE(variable.accepts_uuid);
  }
  EXPECT_EQ(variables, row.visibility);
  std::vector<std::string> kinds;
  for (Source const& source : found.sources) kinds.push_back(source.kind);
  EXPECT_EQ(kinds, row.sources);
}

// Nothing was run on this hardware, so nothing is claimed that would change what a plan does.
TEST_P(FurtherVendor, ClaimsNoCapabilityThatAPlanBuildsOn) {
  Descriptor const found = built_in(GetParam().backend);
  for (std::string_view const capability : kCapabilities) {
    EXPECT_TRUE(capability == "device_events" || !found.can(capability)) << capability;
  }
  EXPECT_FALSE(found.quirks.empty());
}

// Whatever the caller has set, the child's variables leave one device, by its physical index.
TEST_P(FurtherVendor, PinsByItsFirstVariableAndRemovesTheOthers) {
  Descriptor const found = built_in(GetParam().backend);
  if (found.visibility.empty()) GTEST_SKIP() << "no visibility variable";
  Environment caller;
  for (std::string const& name : GetParam().visibility) caller[name] = "3";
  Device device;
  device.index = 3;
  std::vector<std::string> changes;
  for (VariableChange const& change : pin(found, device, caller)) {
    changes.push_back(change.name + "=" + change.value.value_or("(unset)"));
  }
  std::vector<std::string> expected = {GetParam().visibility.front() + "=3"};
  for (std::size_t i = 1; i < GetParam().visibility.size(); ++i) {
    expected.push_back(GetParam().visibility[i] + "=(unset)");
  }
  if (!found.fixed_variables.empty()) changes.erase(changes.begin());
  EXPECT_EQ(changes, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Table, FurtherVendor,
    testing::Values(
        Row{"aipu", "zhouyi", "aipu", "", {}, {"single_node"}},
        Row{"arm", "aarch64", "cpu", "", {}, {"host_architecture"}},
        Row{"cambricon",
            "mlu",
            "mlu",
            "torch_mlu",
            {"MLU_VISIBLE_DEVICES"},
            {"device_nodes", "pci"}},
        Row{"enflame",
            "gcu",
            "gcu",
            "torch_gcu",
            {"TOPS_VISIBLE_DEVICES"},
            {"device_nodes", "pci"}},
        Row{"hygon",
            "dcu",
            "cuda",
            "",
            {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
            {"pci_with_node", "pci"}},
        Row{"iluvatar",
            "corex",
            "cuda",
            "",
            {"CUDA_VISIBLE_DEVICES", "ILUVATAR_VISIBLE_DEVICES"},
            {"device_nodes", "pci"}},
        Row{"kunlunxin",
            "xpu",
            "cuda",
            "",
            {"CUDA_VISIBLE_DEVICES", "XPU_VISIBLE_DEVICES"},
            {"device_nodes", "pci"}},
        Row{"metax",
            "maca",
            "cuda",
            "",
            {"MACA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
            {"pci_with_node", "pci"}},
        Row{"spacemit", "spine", "cpu", "", {}, {"host_architecture"}},
        Row{"sunrise", "ptpu", "ptpu", "torch_ptpu", {"TANG_VISIBLE_DEVICES"}, {"device_nodes"}},
        Row{"thead", "ppu", "cuda", "", {"CUDA_VISIBLE_DEVICES"}, {"device_nodes", "pci"}},
        Row{"tsingmicro",
            "txda",
            "txda",
            "torch_txda",
            {"TXDA_VISIBLE_DEVICES"},
            {"device_nodes"}}),
    [](testing::TestParamInfo<Row> const& row) { return std::string(row.param.backend); });

struct Machine {
  char const* expected;  // the one backend that answers
  int devices;
  std::vector<std::pair<char const*, char const*>> files;
};

void PrintTo(Machine const& machine, std::ostream* out) {
  *out << machine.expected;
}

class MachineOf : public testing::TestWithParam<Machine> {};

// On a machine of one vendor that vendor alone is here, and is chosen when nothing is set.
TEST_P(MachineOf, OneVendorIsNotTakenForAnother) {
  TempFolder const root;
  for (auto const& [path, text] : GetParam().files) root.write(path, text);
  ProbeOptions options;
  options.root = root.path();
  Registry const registry = built_in();
  auto const choice = choose_backend(registry, std::nullopt, options);
  ASSERT_TRUE(choice.has_value()) << choice.error().text;
  EXPECT_EQ(choice->backend->name, GetParam().expected);
  for (Presence const& each : present_backends(registry, options)) {
    EXPECT_EQ(each.devices, each.backend == GetParam().expected ? GetParam().devices : 0)
        << each.backend;
  }
}

#define ZL_PCI(address, vendor, type)                         \
  {"/sys/bus/pci/devices/" address "/vendor", vendor "\n"}, { \
    "/sys/bus/pci/devices/" address "/class", type "\n"       \
  }
#define ZL_KFD(vendor)                                                         \
  {"/dev/kfd", ""}, {                                                          \
    "/sys/class/kfd/kfd/topology/nodes/1/properties", "simd_count 60\n" vendor \
  }

INSTANTIATE_TEST_SUITE_P(
    Table, MachineOf,
    testing::Values(
        Machine{"aipu", 1, {{"/dev/aipu", ""}}},
        Machine{
            "cambricon",
            2,
            {{"/dev/cambricon_dev0", ""}, {"/dev/cambricon_dev1", ""}, {"/dev/cambricon_ctl", ""}}},
        Machine{"enflame", 2, {{"/dev/gcu0", ""}, {"/dev/gcu1", ""}, {"/dev/gcu0vid1", ""}}},
        Machine{"hygon",
                1,
                {ZL_KFD("vendor_id 7572\n"), ZL_PCI("0000:05:00.0", "0x1d94", "0x120000"),
                 ZL_PCI("0000:00:00.0", "0x1d94", "0x060000")}},
        Machine{"rocm", 1, {ZL_KFD("vendor_id 4098\n")}},
        Machine{"iluvatar", 1, {{"/dev/iluvatar0", ""}, {"/dev/itrctl", ""}}},
        Machine{"kunlunxin", 1, {{"/dev/xpu0", ""}, {"/dev/xpuctrl", ""}}},
        Machine{"metax",
                2,
                {{"/dev/mxcd", ""},
                 ZL_PCI("0000:09:00.0", "0x9999", "0x038000"),
                 ZL_PCI("0000:0a:00.0", "0x9999", "0x038000")}},
        Machine{"sunrise", 1, {{"/dev/ptpu0", ""}, {"/dev/ptpuctrl", ""}}},
        Machine{"thead", 1, {{"/dev/alixpu_ppu0", ""}, {"/dev/alixpu_ctl", ""}}},
        // A driver of the kernel's own accelerator class names its nodes accelN: another vendor.
        Machine{"tsingmicro",
                2,
                {{"/dev/accel/dev-0", ""},
                 {"/dev/accel/dev-1", ""},
                 {"/dev/accel/accel0", ""},
                 {"/dev/accel_drv_mgr", ""}}}),
    [](testing::TestParamInfo<Machine> const& row) { return std::string(row.param.expected); });

TEST(PciWithNode, WithoutTheNodeTheDevicesAreOnTheBusOnly) {
  TempFolder const root;
  root.write("/sys/bus/pci/devices/0000:09:00.0/vendor", "0x9999\n");
  root.write("/sys/bus/pci/devices/0000:09:00.0/class", "0x038000\n");
  ProbeOptions options;
  options.root = root.path();
  Enumeration const found = enumerate_devices(built_in("metax"), options);
  EXPECT_EQ(found.devices.size(), 1u);
  EXPECT_FALSE(found.reachable);
  EXPECT_THAT(found.notes, Contains(HasSubstr("no /dev/mxcd")));
}

// Processors of a vendor are no accelerator: they neither take part in the choice nor win it.
TEST(HostVendors, NeverStandInTheWayOfThePlainHost) {
  Registry const registry = built_in();
  TempFolder const root;
  ProbeOptions options;
  options.root = root.path();
  auto const choice = choose_backend(registry, std::nullopt, options);
  ASSERT_TRUE(choice.has_value()) << choice.error().text;
  EXPECT_EQ(choice->backend->name, "cpu");
  EXPECT_TRUE(choice->backend->is_plain_host());
  for (Presence const& each : present_backends(registry, options)) {
    EXPECT_FALSE((*registry.find(each.backend))->is_host()) << each.backend;
  }
}

TEST(HostVendors, AreChosenByNameOnly) {
  Registry const registry = built_in();
  for (char const* name : {"arm", "spacemit"}) {
    auto const choice = choose_backend(registry, name, std::vector<Presence>{});
    ASSERT_TRUE(choice.has_value()) << choice.error().text;
    EXPECT_EQ(choice->backend->name, name);
    EXPECT_TRUE(choice->backend->is_host());
    EXPECT_FALSE(choice->backend->is_plain_host());
  }
}

TEST(HostVendors, HaveADeviceOnTheirOwnMachinesOnly) {
  Enumeration const arm = enumerate_devices(built_in("arm"), {});
  Enumeration const spacemit = enumerate_devices(built_in("spacemit"), {});
  EXPECT_EQ(arm.devices.size(), this_machine() == "aarch64" ? 1u : 0u);
  EXPECT_EQ(spacemit.devices.size(), this_machine() == "riscv64" ? 1u : 0u);
  Descriptor const here = parsed(small_descriptor(
      "x", "", "sources: [{kind: host_architecture, architectures: [z, " + this_machine() + "]}]"));
  EXPECT_EQ(enumerate_devices(here, {}).devices.size(), 1u);
  Descriptor const elsewhere = parsed(
      small_descriptor("x", "", "sources: [{kind: host_architecture, architectures: [y, z]}]"));
  EXPECT_THAT(
      enumerate_devices(elsewhere, {}).notes,
      Contains(HasSubstr("this machine is " + this_machine() + "; this backend needs y or z")));
}

TEST(SourceFields, OfTheKindsForOneNode) {
  auto const relative = parse_descriptor(
      small_descriptor("x", "", "sources: [{kind: single_node, node: dev/x}]"), "f.yaml");
  ASSERT_FALSE(relative.has_value());
  EXPECT_EQ(relative.error().text,
            "f.yaml:4: field 'sources[0].node': 'dev/x': needs an absolute path");
  auto const missing =
      parse_descriptor(small_descriptor("x", "", "sources: [{kind: host_architecture}]"), "f.yaml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().text, HasSubstr("field 'sources[0].architectures': missing"));
}

// Two masks set by hand, as FlagGems' own runner sets them: alternatives, not one after the other.
TEST(TwoMasks, OfOneLayerAreAlternatives) {
  std::vector<Device> all(4);
  for (int i = 0; i < 4; ++i) all[static_cast<std::size_t>(i)].index = i;
  Environment caller;
  caller["CUDA_VISIBLE_DEVICES"] = "2,3";
  caller["ILUVATAR_VISIBLE_DEVICES"] = "2,3";
  auto const visible = visible_devices(built_in("iluvatar"), all, caller);
  ASSERT_TRUE(visible.has_value()) << visible.error().text;
  EXPECT_THAT(visible->devices, testing::ElementsAre(all[2], all[3]));
}

}  // namespace
}  // namespace zl::backend
