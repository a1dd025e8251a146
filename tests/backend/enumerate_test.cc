// Sources that are late, and one time limit for all of them.
#include <chrono>
#include <gmock/gmock.h>

#include "backend/choice.h"
#include "backend/fake_libraries.h"

namespace zl::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kLimitS = 1;

std::string fake(std::string const& kind) {
  return source_of(kind, kFakes + "libfake_" + kind + ".so");
}

Descriptor with_sources(std::string const& name, std::string const& sources) {
  return parsed(small_descriptor(name, "", "sources: [" + sources + "]"));
}

struct Timed {
  Enumeration found;
  double took_s;
};

Timed timed(Descriptor const& descriptor, ProbeOptions const& options) {
  auto const begin = std::chrono::steady_clock::now();
  Enumeration found = enumerate_devices(descriptor, options);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  return {std::move(found), took.count()};
}

// One after the other these would take four limits.
TEST(Deadline, IsOneForAllThatHang) {
  ScopedVariable const nvml("FAKE_NVML_INIT", "hang");
  ScopedVariable const mtml("FAKE_MTML_INIT", "hang");
  ScopedVariable const dcmi("FAKE_DCMI_INIT", "hang");
  ScopedVariable const amdsmi("FAKE_AMDSMI_INIT", "hang");
  std::vector<Descriptor> descriptors;
  for (char const* kind : {"nvml", "mtml", "dcmi", "amdsmi"}) {
    descriptors.push_back(with_sources(kind, fake(kind)));
  }
  std::vector<Descriptor const*> pointers;
  for (Descriptor const& each : descriptors) pointers.push_back(&each);
  auto const begin = std::chrono::steady_clock::now();
  std::vector<Enumeration> const found = enumerate_devices(pointers, probe_options(kLimitS));
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  for (Enumeration const& each : found) {
    EXPECT_THAT(each.failures, ElementsAre(HasSubstr("did not answer within")));
  }
  EXPECT_LT(took.count(), 3 * kLimitS);
}

TEST(Deadline, OfOneBackendIsSharedByItsSources) {
  ScopedVariable const amdsmi("FAKE_AMDSMI_INIT", "hang");
  ScopedVariable const rsmi("FAKE_RSMI_INIT", "hang");
  ScopedVariable const nvml("FAKE_NVML_INIT", "hang");
  Timed const asked =
      timed(with_sources("x", fake("amdsmi") + ", " + fake("rocm_smi") + ", " + fake("nvml")),
            probe_options(kLimitS));
  EXPECT_EQ(asked.found.failures.size(), 3u);
  EXPECT_LT(asked.took_s, 2.5 * kLimitS);
}

TEST(Late, SourceGetsCompanyAndTheNextOneCounts) {
  ScopedVariable const amdsmi("FAKE_AMDSMI_INIT", "hang");
  Enumeration const found = enumerate_devices(
      with_sources("x", fake("amdsmi") + ", " + fake("rocm_smi")), probe_options(kLimitS));
  EXPECT_EQ(found.source, "rocm_smi");
  EXPECT_EQ(found.devices.size(), 1u);
  EXPECT_THAT(found.failures, ElementsAre(HasSubstr("amdsmi: the library or its driver")));
}

TEST(Late, FilesAreLookedIntoAllTheSame) {
  TempFolder const root;
  root.write("/dev/x0", "");
  ScopedVariable const nvml("FAKE_NVML_INIT", "hang");
  ProbeOptions options = probe_options(0.3);
  options.root = root.path();
  Enumeration const found = enumerate_devices(
      with_sources("x", fake("nvml") + ", {kind: device_nodes, patterns: ['/dev/x{N}']}"), options);
  EXPECT_EQ(found.source, "device_nodes");
  EXPECT_THAT(found.failures, ElementsAre(HasSubstr("nvml")));
}

TEST(Order, TheFirstThatFindsDevicesIsTakenAndNoOtherIsAsked) {
  ScopedVariable const rsmi("FAKE_RSMI_INIT", "crash");
  Enumeration const found = enumerate_devices(
      with_sources("x", fake("amdsmi") + ", " + fake("rocm_smi")), probe_options());
  EXPECT_EQ(found.source, "amdsmi");
  EXPECT_THAT(found.failures, IsEmpty());
}

TEST(Order, ASourceWithoutDevicesIsFollowedByTheNext) {
  ScopedVariable const devices("FAKE_AMDSMI_DEVICES", "0");
  Enumeration const found = enumerate_devices(
      with_sources("x", fake("amdsmi") + ", " + fake("rocm_smi")), probe_options());
  EXPECT_EQ(found.source, "rocm_smi");
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("amdsmi: ")));
}

TEST(Presence, TellsWhatHangsEvenWhereNoDeviceIs) {
  TempFolder const folder;
  folder.write("x.yaml", small_descriptor("x", "", "sources: [" + fake("nvml") + "]"));
  ScopedVariable const nvml("FAKE_NVML_INIT", "hang");
  auto const registry = Registry::load({folder.path()});
  ASSERT_TRUE(registry.has_value()) << registry.error().text;
  std::vector<std::string> failures;
  for (Presence const& each : present_backends(*registry, probe_options(0.3))) {
    if (each.backend == "x") failures = each.failures;
  }
  EXPECT_THAT(failures, ElementsAre(HasSubstr("nvml: the library or its driver did not answer")));
  auto const choice = choose_backend(*registry, std::nullopt, probe_options(0.3));
  ASSERT_TRUE(choice.has_value());
  EXPECT_THAT(choice->notes, testing::Contains(HasSubstr("did not answer")));
}

}  // namespace
}  // namespace zl::backend
