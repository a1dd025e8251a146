#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/descriptor.h"
#include "base/environment.h"

namespace zl::backend {

// One accelerator of this host. What its vendor does not tell is absent, never zero.
struct Device {
  int index = 0;  // physical: before any visibility variable; what `zlbench devices` prints
  std::optional<std::string> uuid;
  std::optional<std::string> pci;  // "dddd:bb:dd.f", lower case
  std::optional<std::string> name;
  std::optional<std::string> architecture;  // "sm_90"
  std::optional<std::string> node;          // "/dev/..."
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_free_bytes;
  std::optional<int> busy_processes;  // processes that compute on it now

  bool operator==(Device const&) const = default;
};

// Absent fields are left out. The second is the inverse; empty when it is no device.
nlohmann::json to_json(Device const& device);
std::optional<Device> device_from_json(nlohmann::json const& value);

// What sysfs says of one device on the PCI bus.
struct PciFunction {
  std::string address;       // as in Device::pci
  std::string vendor;        // "0x10de"
  std::string device_class;  // "0x030200"
};

struct ProbeOptions {
  std::filesystem::path root = "/";  // before /dev, /proc and /sys
  // The bus, when it was read before for many sources; empty: each source that needs it reads it.
  std::optional<std::vector<PciFunction>> bus = std::nullopt;
  Environment environment;  // for ${NAME} in library candidates
  double limit_s = 2.0;     // for each source that calls a vendor library
};

struct Enumeration {
  std::vector<Device> devices;
  std::string source;  // the kind that answered; empty: none found a device
  // False when the devices were only seen on a bus: no driver answered and no node can be opened.
  bool reachable = false;
  std::vector<std::string> notes;  // why a source before it gave nothing; what was skipped
};

// The devices of this host, from the first of the descriptor's sources that finds any. Makes no
// device context; a vendor library that hangs or crashes costs limit_s and a note.
Enumeration enumerate_devices(Descriptor const& descriptor, ProbeOptions const& options);

// "00000000:0F:00.0" and the like to "0000:0f:00.0"; empty when it is no PCI address.
std::optional<std::string> normalise_pci(std::string_view text);

}  // namespace zl::backend
