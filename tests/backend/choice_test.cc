#include "backend/choice.h"

#include <gmock/gmock.h>

#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Registry built_in() {
  return *Registry::load({});
}

Presence here(char const* backend, int devices, bool reachable = true) {
  return {backend, devices, reachable, "test", {}, {}};
}

TEST(Choose, OneKindHereIsTaken) {
  Registry const registry = built_in();
  auto const choice = choose_backend(registry, std::nullopt,
                                     std::vector<Presence>{here("cuda", 2), here("musa", 0)});
  ASSERT_TRUE(choice.has_value()) << choice.error().text;
  EXPECT_EQ(choice->backend->name, "cuda");
  EXPECT_FALSE(choice->requested);
  EXPECT_THAT(choice->notes, ElementsAre("chosen: 2 cuda devices here"));
}

TEST(Choose, NoneHereIsTheHostWithANote) {
  Registry const registry = built_in();
  auto const choice = choose_backend(registry, "  ", std::vector<Presence>{here("cuda", 0)});
  ASSERT_TRUE(choice.has_value()) << choice.error().text;
  EXPECT_EQ(choice->backend->name, "cpu");
  EXPECT_THAT(choice->notes, ElementsAre("chosen: cpu, since no accelerator was found here"));
}

TEST(Choose, TwoKindsHereIsAUsageErrorThatNamesBoth) {
  Registry const registry = built_in();
  auto const choice = choose_backend(registry, std::nullopt,
                                     std::vector<Presence>{here("cuda", 1), here("rocm", 2)});
  ASSERT_FALSE(choice.has_value());
  EXPECT_EQ(choice.error().kind, ErrorKind::usage);
  EXPECT_THAT(choice.error().text,
              AllOf(HasSubstr("1 cuda device and 2 rocm devices"), HasSubstr("set ZL_BACKEND")));
}

TEST(Choose, WhatIsOnTheBusOnlyIsNoReasonToChoose) {
  Registry const registry = built_in();
  auto const choice = choose_backend(
      registry, std::nullopt, std::vector<Presence>{here("rocm", 1, false), here("cuda", 1)});
  ASSERT_TRUE(choice.has_value()) << choice.error().text;
  EXPECT_EQ(choice->backend->name, "cuda");
  EXPECT_THAT(choice->notes[1],
              AllOf(HasSubstr("1 rocm device on the bus"), HasSubstr("ZL_BACKEND=rocm")));
}

TEST(Choose, RequestWinsOverWhatIsHere) {
  Registry const registry = built_in();
  auto const choice =
      choose_backend(registry, " MThreads ", std::vector<Presence>{here("cuda", 1)});
  ASSERT_TRUE(choice.has_value()) << choice.error().text;
  EXPECT_EQ(choice->backend->name, "musa");
  EXPECT_TRUE(choice->requested);
  EXPECT_FALSE(choose_backend(registry, "cdua", std::vector<Presence>{}).has_value());
}

TEST(Choose, LooksAtTheMachineWhenNothingIsRequested) {
  Registry const registry = built_in();
  TempFolder const root;
  root.write("/dev/davinci0", "");
  root.write("/dev/davinci1", "");
  root.write("/dev/davinci_manager", "");
  ProbeOptions options;
  options.root = root.path();
  std::vector<Presence> const presence = present_backends(registry, options);
  std::vector<std::string> names;
  for (Presence const& each : presence) {
    names.push_back(each.backend);
    if (each.backend != "ascend") continue;
    EXPECT_EQ(each.devices, 2);
    EXPECT_TRUE(each.reachable);
    EXPECT_EQ(each.source, "device_nodes");
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"cuda", "musa", "rocm", "ascend"}));
}

TEST(Present, ALibraryAloneProvesDevices) {
  TempFolder const folder;
  folder.write("f.yaml", small_descriptor("fake", "",
                                          "sources:\n  - {kind: pci, pci_vendor_id: '0xdead', "
                                          "pci_classes: ['0x03']}\n  - {kind: nvml, libraries: "
                                          "[" ZL_BINARY_DIR "/tests/fakes/vendor_lib/"
                                          "libfake_nvml.so]}"));
  auto const registry = Registry::load({folder.path()});
  ASSERT_TRUE(registry.has_value()) << registry.error().text;
  TempFolder const root;
  root.write("/sys/bus/pci/devices/0000:01:00.0/vendor", "0xdead\n");
  root.write("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
  ProbeOptions options;
  options.root = root.path();
  ScopedVariable const devices("FAKE_NVML_DEVICES", "2");
  Presence const found = present_backends(*registry, options).back();
  EXPECT_EQ(found.backend, "fake");
  EXPECT_EQ(found.devices, 2);
  EXPECT_EQ(found.source, "nvml") << "the bus is asked last";
}

}  // namespace
}  // namespace zl::backend
