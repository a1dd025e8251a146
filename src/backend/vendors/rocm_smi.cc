#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "backend/vendors/node_order.h"
#include "backend/vendors/rocm_smi_api.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

using namespace rocm_smi;

std::string reason(Api const& api, int code) {
  char const* text = nullptr;
  if (api.status_string == nullptr || api.status_string(code, &text) != kSuccess) text = nullptr;
  return fmt::format("{} (code {})", text == nullptr ? "error" : text, code);
}

// False as well when the symbol is missing.
template <class Call, class... Arguments>
bool ask(Call call, Arguments... arguments) {
  return call != nullptr && call(arguments...) == kSuccess;
}

std::optional<std::string> driver_version(Api const& api) {
  std::array<char, 257> buffer{};
  if (!ask(api.version, kDriver, buffer.data(), std::uint32_t{256})) return std::nullopt;
  return std::string(buffer.data());
}

// By the library's number of the device. Its memory per process is that of all devices together.
std::optional<std::map<std::uint32_t, std::vector<DeviceProcess>>> read_processes(Api const& api) {
  std::uint32_t count = 0;
  if (api.process_devices == nullptr || !ask(api.processes, nullptr, &count)) return std::nullopt;
  std::vector<Process> list(count + 8);
  count = static_cast<std::uint32_t>(list.size());
  if (!ask(api.processes, list.data(), &count)) return std::nullopt;
  std::map<std::uint32_t, std::vector<DeviceProcess>> result;
  for (std::uint32_t i = 0; i < count && i < list.size(); ++i) {
    std::array<std::uint32_t, 64> devices{};
    auto used = static_cast<std::uint32_t>(devices.size());
    if (!ask(api.process_devices, list[i].pid, devices.data(), &used)) continue;
    for (std::uint32_t k = 0; k < used && k < devices.size(); ++k) {
      result[devices[k]].push_back({list[i].pid, std::nullopt});
    }
  }
  return result;
}

std::optional<double> power_w(Api const& api, std::uint32_t number) {
  std::uint64_t uw = 0;
  int type = 0;
  bool const is_told =
      ask(api.power, number, &uw, &type) || ask(api.average_power, number, 0u, &uw);
  return is_told ? std::optional<double>(static_cast<double>(uw) / 1e6) : std::nullopt;
}

void read_readings(Api const& api, std::uint32_t number, DeviceReadings& readings) {
  std::int64_t mc = 0;
  if (ask(api.temperature, number, kEdge, kCurrent, &mc)) {
    readings.temperature_c = static_cast<double>(mc) / 1000;
  }
  readings.power_w = power_w(api, number);
  std::uint64_t cap_uw = 0;
  if (ask(api.power_cap, number, 0u, &cap_uw)) {
    readings.power_limit_w = static_cast<double>(cap_uw) / 1e6;
  }
  ErrorCount errors{};
  if (ask(api.errors, number, kMemoryBlock, &errors)) {
    readings.health = errors.uncorrected == 0
                          ? "ok"
                          : fmt::format("{} uncorrected memory errors", errors.uncorrected);
  }
}

Device describe(Api const& api, std::uint32_t number) {
  Device device;
  std::array<char, 257> name{};
  if (ask(api.name, number, name.data(), std::size_t{256})) device.name = name.data();
  std::uint64_t unique_id = 0;
  if (ask(api.unique_id, number, &unique_id) && unique_id != 0) {
    device.uuid = fmt::format("GPU-{:016x}", unique_id);
  }
  std::uint64_t address = 0;  // bits 28 to 31 are the partition
  if (ask(api.pci, number, &address)) {
    device.pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address >> 32, address >> 8 & 0xff,
                             address >> 3 & 0x1f, address & 7);
  }
  std::uint64_t total = 0;
  std::uint64_t used = 0;
  if (ask(api.memory_total, number, kDeviceMemory, &total)) device.memory_total_bytes = total;
  if (device.memory_total_bytes && ask(api.memory_used, number, kDeviceMemory, &used) &&
      used <= total) {
    device.memory_free_bytes = total - used;
  }
  read_readings(api, number, device.readings);
  return device;
}

void read_devices(Api const& api, std::uint32_t count, SourceAnswer& answer) {
  std::optional<std::string> const driver = driver_version(api);
  auto const processes = read_processes(api);
  std::vector<NodeDevice> found;
  for (std::uint32_t number = 0; number < count; ++number) {
    Device device = describe(api, number);
    device.driver = driver;
    if (processes) {
      auto const own = processes->find(number);
      device.readings.processes =
          own == processes->end() ? std::vector<DeviceProcess>() : own->second;
      device.busy_processes = static_cast<int>(device.readings.processes->size());
    }
    std::uint32_t node = 0;
    bool const has_node = ask(api.node, number, &node);
    found.push_back({std::move(device), has_node ? std::optional(node) : std::nullopt});
  }
  answer.devices = in_runtime_order(std::move(found));
}

}  // namespace

SourceAnswer ask_rocm_smi(Source const& source, ProbeOptions const& options) {
  SourceAnswer answer;
  Api api{};
  auto const loaded = load_library(source.libraries, options.environment, kSymbols, &api);
  if (!loaded) {
    answer.notes.push_back("rocm_smi: " + loaded.error().text);
    return answer;
  }
  if (int const code = api.init(0); code != kSuccess) {
    answer.notes.push_back(
        fmt::format("rocm_smi: {} does not start: {}", loaded->library, reason(api, code)));
    return answer;
  }
  std::uint32_t count = 0;
  if (int const code = api.count(&count); code != kSuccess) {
    answer.notes.push_back(fmt::format("rocm_smi: cannot count devices: {}", reason(api, code)));
  } else if (count == 0) {
    answer.notes.push_back(fmt::format("rocm_smi: {} lists no device", loaded->library));
  }
  read_devices(api, count, answer);
  if (api.shut_down != nullptr) api.shut_down();
  return answer;
}

}  // namespace zl::backend
