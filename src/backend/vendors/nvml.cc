#include <array>
#include <cstring>
#include <fmt/format.h>

#include "backend/vendors/nvml_api.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

using namespace nvml;

constexpr unsigned kTextBytes = 96;

std::string reason(Api const& api, int code) {
  char const* const text = api.error_string == nullptr ? nullptr : api.error_string(code);
  return fmt::format("{} (code {})", text == nullptr ? "error" : text, code);
}

// What the library says of one device, or of a part of one; what it does not say stays absent.
class Reader {
 public:
  Reader(Api const& api, void* handle) : api_(api), handle_(handle) {}

  // False as well when the symbol is missing. Remembers the answers of a broken device.
  template <class Call, class... Arguments>
  bool ask(Call call, Arguments... arguments) {
    if (call == nullptr) return false;
    int const code = call(handle_, arguments...);
    if (code == kDeviceIsLost || code == kNeedsReset) broken_ = code;
    return code == kSuccess;
  }

  std::optional<std::string> text(GetText get) {
    std::array<char, kTextBytes + 1> buffer{};
    if (!ask(get, buffer.data(), kTextBytes)) return std::nullopt;
    return std::string(buffer.data());
  }

  std::optional<double> clock(GetClock get, int clock) {
    unsigned mhz = 0;
    return ask(get, clock, &mhz) ? std::optional<double>(mhz) : std::nullopt;
  }

  std::optional<double> watts(GetNumber get) {
    unsigned mw = 0;
    return ask(get, &mw) ? std::optional<double>(mw / 1000.0) : std::nullopt;
  }

  void read_device(Device& device);
  void read_readings(DeviceReadings& readings);
  std::optional<std::vector<DeviceProcess>> processes();
  std::optional<std::vector<DeviceInstance>> instances();
  std::optional<std::string> health();

 private:
  Api const& api_;
  void* handle_;
  int broken_ = 0;
};

void Reader::read_device(Device& device) {
  device.uuid = text(api_.uuid);
  device.name = text(api_.name);
  PciInfo pci{};
  if (ask(api_.pci, &pci)) {
    pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
    device.pci = normalise_pci(pci.bus_id);
  }
  int major = 0;
  int minor = 0;
  if (ask(api_.compute_capability, &major, &minor)) {
    device.architecture = fmt::format("sm_{}", major * 10 + minor);
  }
  Memory memory{};
  if (ask(api_.memory, &memory)) {
    device.memory_total_bytes = memory.total;
    device.memory_free_bytes = memory.free;
  }
}

void Reader::read_readings(DeviceReadings& readings) {
  readings.clock_mhz = clock(api_.clock, kCoreClock);
  readings.clock_max_mhz = clock(api_.max_clock, kCoreClock);
  readings.memory_clock_mhz = clock(api_.clock, kMemoryClock);
  readings.memory_clock_max_mhz = clock(api_.max_clock, kMemoryClock);
  readings.power_w = watts(api_.power_mw);
  readings.power_limit_w = watts(api_.power_limit_mw);
  unsigned degrees = 0;
  if (ask(api_.temperature, kDeviceSensor, &degrees)) readings.temperature_c = degrees;
  unsigned long long bits = 0;
  if (ask(api_.clock_reasons, &bits)) {
    readings.throttle_reasons.emplace();
    for (ClockReason const& each : kClockReasons) {
      if ((bits & each.bit) != 0) readings.throttle_reasons->emplace_back(each.text);
    }
  }
  readings.processes = processes();
  readings.instances = instances();
  readings.health = health();
}

// Some drivers of the time around 535 write 32 bytes an entry where those before and after write
// 24; what they export tells them apart.
std::optional<std::vector<DeviceProcess>> Reader::processes() {
  constexpr std::size_t kRoomBytes = 32;
  bool const is_wide = api_.conf_compute != nullptr && api_.process_details == nullptr;
  bool const is_v1 = api_.processes == nullptr;
  std::size_t const stride = is_v1 ? 16 : is_wide ? 32 : 24;
  GetProcesses const get = is_v1 ? api_.processes_v1 : api_.processes;
  if (get == nullptr) return std::nullopt;
  unsigned count = 0;
  std::vector<char> list;
  int code = get(handle_, &count, nullptr);
  constexpr int kTries = 4;  // more of them may come between two calls
  for (int i = 0; i < kTries && code == kInsufficientSize; ++i) {
    count += 8;
    list.resize(count * kRoomBytes);
    code = get(handle_, &count, list.data());
  }
  if (code != kSuccess || count * stride > list.size()) return std::nullopt;
  std::vector<DeviceProcess> result;
  for (unsigned i = 0; i < count; ++i) {
    ProcessInfo info{};
    std::memcpy(&info, list.data() + i * stride, sizeof(info));
    DeviceProcess process{info.pid, std::nullopt};
    if (info.used_bytes != ~std::uint64_t{0}) process.memory_bytes = info.used_bytes;
    result.push_back(process);
  }
  return result;
}

// Numbers without an instance lie between those with one.
std::optional<std::vector<DeviceInstance>> Reader::instances() {
  unsigned current = 0;
  unsigned pending = 0;
  unsigned count = 0;
  if (!ask(api_.mig_mode, &current, &pending) || current != 1) return std::nullopt;
  std::vector<DeviceInstance> result;
  if (api_.mig_by_index == nullptr || !ask(api_.max_mig_count, &count)) return result;
  for (unsigned index = 0; index < count; ++index) {
    void* handle = nullptr;
    if (api_.mig_by_index(handle_, index, &handle) != kSuccess) continue;
    Reader part(api_, handle);
    DeviceInstance instance{part.text(api_.uuid), part.text(api_.name), std::nullopt};
    Memory memory{};
    if (part.ask(api_.memory, &memory)) instance.memory_total_bytes = memory.total;
    result.push_back(std::move(instance));
  }
  return result;
}

// Asked last: what the other questions met counts too. Absent when no question was answered.
std::optional<std::string> Reader::health() {
  std::optional<std::string> result;
  unsigned long long errors = 0;
  if (ask(api_.ecc_errors, kUncorrected, kSinceDriverStart, &errors)) {
    result = errors == 0 ? "ok" : fmt::format("{} uncorrected memory errors", errors);
  }
  int is_pending = 0;
  if (ask(api_.pages_pending, &is_pending)) {
    if (is_pending != 0) return "memory pages wait for a reset to be retired";
    if (!result) result = "ok";
  }
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned needs_reset = 0;
  unsigned has_failed = 0;
  if (ask(api_.remapped_rows, &corrected, &uncorrected, &needs_reset, &has_failed)) {
    if (has_failed != 0) return "memory rows could not be remapped";
    if (needs_reset != 0) return "memory rows wait for a reset to be remapped";
    if (!result) result = "ok";
  }
  if (broken_ == kDeviceIsLost) return "the device is lost";
  if (broken_ == kNeedsReset) return "the device needs a reset";
  return result;
}

void add_device(Api const& api, unsigned index, std::optional<std::string> const& driver,
                SourceAnswer& answer) {
  void* handle = nullptr;
  int const code = api.by_index(index, &handle);
  if (code == kNoPermission) {
    answer.notes.push_back(fmt::format("nvml: no permission for device {}: left out", index));
    return;
  }
  if (code != kSuccess) {
    answer.notes.push_back(fmt::format("nvml: device {} left out: {}", index, reason(api, code)));
    return;
  }
  Device device;
  device.index = static_cast<int>(index);
  device.driver = driver;
  Reader reader(api, handle);
  reader.read_device(device);
  reader.read_readings(device.readings);
  if (device.readings.processes) {
    device.busy_processes = static_cast<int>(device.readings.processes->size());
  }
  if (device.readings.instances) {
    answer.notes.push_back(
        fmt::format("nvml: device {} is split into {} MIG instances; it is listed as a whole",
                    index, device.readings.instances->size()));
  }
  answer.devices.push_back(std::move(device));
}

std::optional<std::string> driver_version(Api const& api) {
  std::array<char, kTextBytes + 1> buffer{};
  if (api.driver_version == nullptr || api.driver_version(buffer.data(), 80) != kSuccess) {
    return std::nullopt;
  }
  return std::string(buffer.data());
}

}  // namespace

SourceAnswer ask_nvml(Source const& source, ProbeOptions const& options) {
  SourceAnswer answer;
  Api api{};
  auto const loaded = load_library(source.libraries, options.environment, kSymbols, &api);
  if (!loaded) {
    answer.notes.push_back("nvml: " + loaded.error().text);
    return answer;
  }
  int code = api.init();
  if (code != kSuccess) {
    answer.notes.push_back(
        fmt::format("nvml: {} does not start: {}", loaded->library, reason(api, code)));
    return answer;
  }
  unsigned count = 0;
  code = api.count(&count);
  if (code != kSuccess) {
    answer.notes.push_back(fmt::format("nvml: cannot count devices: {}", reason(api, code)));
  }
  std::optional<std::string> const driver = driver_version(api);
  for (unsigned index = 0; index < count; ++index) add_device(api, index, driver, answer);
  if (answer.devices.empty() && answer.notes.empty()) {
    answer.notes.push_back(fmt::format("nvml: {} lists no device", loaded->library));
  }
  if (api.shutdown != nullptr) api.shutdown();
  return answer;
}

}  // namespace zl::backend
