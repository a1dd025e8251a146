#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <system_error>

#include "backend/file_sources.h"
#include "backend/vendors/vendor_sources.h"
#include "base/files.h"
#include "base/text.h"

namespace zl::backend {

namespace {

using Properties = std::map<std::string, std::uint64_t, std::less<>>;

// "key value" lines; lines of another form are left out.
Properties read_properties(fs::path const& path) {
  Properties result;
  auto const text = read_file(path);
  if (!text) return result;
  for (std::string const& line : split(*text, '\n')) {
    std::size_t const blank = line.find(' ');
    if (blank == std::string::npos) continue;
    auto const value = parse_unsigned(trim(line.substr(blank + 1)));
    if (value) result[line.substr(0, blank)] = *value;
  }
  return result;
}

std::uint64_t value_of(Properties const& properties, std::string_view key) {
  auto const found = properties.find(key);
  return found == properties.end() ? 0 : found->second;
}

// 90402 to "gfx942": major * 10000 + minor * 100 + step, the last two as one hex digit each.
std::optional<std::string> architecture(Properties const& properties) {
  std::uint64_t const version = value_of(properties, "gfx_target_version");
  if (version == 0) return std::nullopt;
  return fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

std::optional<std::string> pci_address(Properties const& properties) {
  auto const location = properties.find("location_id");
  if (location == properties.end()) return std::nullopt;
  std::uint64_t const id = location->second & 0xffff;  // above: the partition
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", value_of(properties, "domain"), id >> 8,
                     id >> 3 & 0x1f, id & 7);
}

std::optional<std::uint64_t> memory_total(fs::path const& node) {
  constexpr std::uint64_t kPublic = 1;
  constexpr std::uint64_t kPrivate = 2;
  std::uint64_t bytes = 0;
  for (auto const& [number, bank] : numbered_entries(node / "mem_banks")) {
    Properties const properties = read_properties(bank / "properties");
    std::uint64_t const heap = value_of(properties, "heap_type");
    if (heap == kPublic || heap == kPrivate) bytes += value_of(properties, "size_in_bytes");
  }
  if (bytes == 0) return std::nullopt;
  return bytes;
}

// Processes that hold memory on this GPU; absent when the driver does not show processes.
std::optional<std::vector<DeviceProcess>> processes(ProbeOptions const& options,
                                                    std::string const& gpu_id) {
  fs::path const folder = below_root(options, "/sys/class/kfd/kfd/proc");
  std::error_code code;
  if (!fs::is_directory(folder, code)) return std::nullopt;
  std::vector<DeviceProcess> result;
  for (auto const& [pid, process] : numbered_entries(folder)) {
    auto const bytes = parse_unsigned(small_file(process / ("vram_" + gpu_id)).value_or("0"));
    if (bytes.value_or(0) > 0) result.push_back({pid, bytes});
  }
  return result;
}

// Lines "1: 2100Mhz *": the state with the star is the present one.
void read_clocks(fs::path const& file, std::optional<double>& now, std::optional<double>& max) {
  for (std::string const& line : split(small_file(file).value_or(""), '\n')) {
    std::size_t const colon = line.find(':');
    std::size_t const unit = line.find("Mhz");
    if (colon == std::string::npos || unit == std::string::npos || unit < colon) continue;
    auto const mhz = parse_unsigned(trim(line.substr(colon + 1, unit - colon - 1)));
    if (!mhz) continue;
    auto const value = static_cast<double>(*mhz);
    if (ends_with(trim(line), "*")) now = value;
    if (!max || *max < value) max = value;
  }
}

std::optional<double> scaled(fs::path const& file, double scale) {
  auto const value = parse_unsigned(small_file(file).value_or(""));
  return value ? std::optional<double>(static_cast<double>(*value) * scale) : std::nullopt;
}

// "ue: 0": errors of the memory that could not be corrected.
std::optional<std::string> health(fs::path const& display) {
  for (std::string const& line :
       split(small_file(display / "ras/umc_err_count").value_or(""), '\n')) {
    if (!starts_with(line, "ue:")) continue;
    auto const errors = parse_unsigned(trim(line.substr(3)));
    if (!errors) return std::nullopt;
    return *errors == 0 ? "ok" : fmt::format("{} uncorrected memory errors", *errors);
  }
  return std::nullopt;
}

void read_readings(fs::path const& display, DeviceReadings& readings) {
  read_clocks(display / "pp_dpm_sclk", readings.clock_mhz, readings.clock_max_mhz);
  read_clocks(display / "pp_dpm_mclk", readings.memory_clock_mhz, readings.memory_clock_max_mhz);
  readings.health = health(display);
  auto const sensors = numbered_entries(display / "hwmon", "hwmon");
  if (sensors.empty()) return;
  fs::path const& sensor = sensors.begin()->second;
  readings.temperature_c = scaled(sensor / "temp1_input", 1e-3);
  readings.power_w = scaled(sensor / "power1_average", 1e-6);
  if (!readings.power_w) readings.power_w = scaled(sensor / "power1_input", 1e-6);
  readings.power_limit_w = scaled(sensor / "power1_cap", 1e-6);
}

void add_display_facts(fs::path const& display, Device& device) {
  if (auto name = small_file(display / "product_name")) device.name = std::move(*name);
  auto const used = parse_unsigned(small_file(display / "mem_info_vram_used").value_or(""));
  if (used && device.memory_total_bytes && *used <= *device.memory_total_bytes) {
    device.memory_free_bytes = *device.memory_total_bytes - *used;
  }
  read_readings(display, device.readings);
}

Device describe(fs::path const& node, Properties const& properties, std::string const& gpu_id,
                ProbeOptions const& options) {
  Device device;
  device.name = small_file(node / "name");
  device.architecture = architecture(properties);
  device.pci = pci_address(properties);
  std::uint64_t const unique_id = value_of(properties, "unique_id");
  if (unique_id != 0) device.uuid = fmt::format("GPU-{:016x}", unique_id);
  device.memory_total_bytes = memory_total(node);
  device.driver = small_file(below_root(options, "/sys/module/amdgpu/version"));
  device.readings.processes = processes(options, gpu_id);
  if (device.readings.processes) {
    device.busy_processes = static_cast<int>(device.readings.processes->size());
  }
  std::uint64_t const minor = value_of(properties, "drm_render_minor");
  if (minor != 0) {
    device.node = fmt::format("/dev/dri/renderD{}", minor);
    add_display_facts(below_root(options, fmt::format("/sys/class/drm/renderD{}/device", minor)),
                      device);
  }
  return device;
}

}  // namespace

SourceAnswer ask_kfd(Source const& source, ProbeOptions const& options) {
  SourceAnswer answer;
  auto const vendor = std::strtoull(source.pci_vendor_id.c_str(), nullptr, 16);
  if (!can_open(below_root(options, "/dev/kfd"))) {
    answer.notes.emplace_back("kfd: no /dev/kfd, or no permission to open it");
    return answer;
  }
  for (auto const& [number, node] :
       numbered_entries(below_root(options, "/sys/class/kfd/kfd/topology/nodes"))) {
    Properties const properties = read_properties(node / "properties");
    if (value_of(properties, "simd_count") == 0) continue;  // a processor, or forbidden to us
    // Drivers derived from this one make the same topology; one that names no vendor is trusted.
    auto const named = properties.find("vendor_id");
    if (named != properties.end() && named->second != vendor) continue;
    Device device = describe(node, properties, small_file(node / "gpu_id").value_or(""), options);
    if (device.node && !can_open(below_root(options, *device.node))) {
      answer.notes.push_back(
          fmt::format("kfd: node {} left out: cannot open {}", number, *device.node));
      continue;
    }
    device.index = static_cast<int>(answer.devices.size());
    answer.devices.push_back(std::move(device));
  }
  if (answer.devices.empty())
    answer.notes.emplace_back("kfd: the topology lists no GPU of vendor " + source.pci_vendor_id);
  return answer;
}

}  // namespace zl::backend
