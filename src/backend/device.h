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

// A part of a device that a child can be tied to as if it were a device.
struct DeviceInstance {
  std::optional<std::string> uuid;
  std::optional<std::string> name;
  std::optional<std::uint64_t> memory_total_bytes;

  bool operator==(DeviceInstance const&) const = default;
};

struct DeviceProcess {
  std::int64_t pid = 0;  // as the driver counts: inside a container the host's
  std::optional<std::uint64_t> memory_bytes;

  bool operator==(DeviceProcess const&) const = default;
};

// What is true of a device at the moment of asking.
struct DeviceReadings {
  std::optional<double> clock_mhz;  // of its cores
  std::optional<double> clock_max_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> memory_clock_max_mhz;
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> power_limit_w;
  std::optional<std::string> health;  // "ok", or what is wrong with it
  // Why its clock is below its maximum; empty: for no reason that the device knows.
  std::optional<std::vector<std::string>> throttle_reasons;
  std::optional<std::vector<DeviceProcess>> processes;
  std::optional<std::vector<DeviceInstance>> instances;  // of a device that is split

  bool operator==(DeviceReadings const&) const = default;
};

// One accelerator of this host. What its vendor does not tell is absent, never zero.
struct Device {
  int index = 0;  // physical: before any visibility variable; what `zlbench devices` prints
  std::optional<std::string> uuid;
  std::optional<std::string> pci;  // "dddd:bb:dd.f", lower case
  std::optional<std::string> name;
  std::optional<std::string> architecture;  // "sm_90"
  std::optional<std::string> driver;        // its version
  std::optional<std::string> node;          // "/dev/..."
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_free_bytes;
  std::optional<int> busy_processes;  // processes that compute on it now
  DeviceReadings readings;

  bool operator==(Device const&) const = default;
};

// Absent fields are left out; readings are left out of the first. The third is the inverse of the
// second, and empty when it is no device.
nlohmann::json to_json(Device const& device);
nlohmann::json to_json_with_readings(Device const& device);
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
  double limit_s = 1.8;     // for all sources of all backends together
};

struct Enumeration {
  std::vector<Device> devices;
  std::string source;  // the kind that answered; empty: none found a device
  // False when the devices were only seen on a bus: no driver answered and no node can be opened.
  bool reachable = false;
  std::vector<std::string> notes;  // why a source before it gave nothing; what was skipped
  // Those of the notes that tell of a source that hung or crashed: worth telling even when the
  // backend has no devices.
  std::vector<std::string> failures;
};

// The devices of this host, from the first of the descriptor's sources that finds any. Makes no
// device context. Sources that may hang are asked in children: one that is late gets company from
// the next, and none is waited for beyond limit_s.
Enumeration enumerate_devices(Descriptor const& descriptor, ProbeOptions const& options);

// The same for many backends side by side, within one limit_s.
std::vector<Enumeration> enumerate_devices(std::vector<Descriptor const*> const& descriptors,
                                           ProbeOptions const& options);

// "00000000:0F:00.0" and the like to "0000:0f:00.0"; empty when it is no PCI address.
std::optional<std::string> normalise_pci(std::string_view text);

}  // namespace zl::backend
