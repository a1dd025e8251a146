#include <array>
#include <cstddef>
#include <fmt/format.h>

#include "backend/library.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 6;

// MTML's own structures and signatures (mtml.h 2.2).
struct PciInfo {
  char sbdf[32];  // may be empty: then the numbers below hold the address
  unsigned segment, bus, device, device_id, subsystem_id, bus_width;
  float max_speed, current_speed;
  unsigned max_width, current_width, max_generation, current_generation;
  int reserved[6];
};
static_assert(sizeof(PciInfo) == 104 && offsetof(PciInfo, segment) == 32);

using GetText = int (*)(void const*, char*, unsigned);
using GetPart = int (*)(void const*, void**);
using GetNumber = int (*)(void const*, unsigned*);
using GetBytes = int (*)(void const*, unsigned long long*);

struct Api {
  int (*init)(void**);
  int (*shut_down)(void*);
  char const* (*error_string)(int);
  GetPart init_system;
  GetText driver_version;
  GetNumber count;
  int (*by_index)(void const*, unsigned, void**);
  GetText uuid;
  GetText name;
  int (*pci)(void const*, PciInfo*);
  GetNumber power_mw;
  GetPart init_gpu;
  GetNumber clock;
  GetNumber max_clock;
  int (*temperature)(void const*, int*);
  GetPart init_memory;
  GetBytes memory_total;
  GetBytes memory_used;
  GetNumber memory_clock;
  GetNumber max_memory_clock;
  int (*ecc_errors)(void const*, int type, int counter, int place, unsigned long long*);
  int (*pages_pending)(void const*, int*);
};

// The calls about memory errors are the newest: older libraries lack them.
constexpr Symbol kSymbols[] = {
    {"mtmlLibraryInit", nullptr, offsetof(Api, init), true},
    {"mtmlLibraryShutDown", nullptr, offsetof(Api, shut_down), false},
    {"mtmlErrorString", nullptr, offsetof(Api, error_string), false},
    {"mtmlLibraryInitSystem", nullptr, offsetof(Api, init_system), false},
    {"mtmlSystemGetDriverVersion", nullptr, offsetof(Api, driver_version), false},
    {"mtmlLibraryCountDevice", nullptr, offsetof(Api, count), true},
    {"mtmlLibraryInitDeviceByIndex", nullptr, offsetof(Api, by_index), true},
    {"mtmlDeviceGetUUID", nullptr, offsetof(Api, uuid), false},
    {"mtmlDeviceGetName", nullptr, offsetof(Api, name), false},
    {"mtmlDeviceGetPciInfo", nullptr, offsetof(Api, pci), false},
    {"mtmlDeviceGetPowerUsage", nullptr, offsetof(Api, power_mw), false},
    {"mtmlDeviceInitGpu", nullptr, offsetof(Api, init_gpu), false},
    {"mtmlGpuGetClock", nullptr, offsetof(Api, clock), false},
    {"mtmlGpuGetMaxClock", nullptr, offsetof(Api, max_clock), false},
    {"mtmlGpuGetTemperature", nullptr, offsetof(Api, temperature), false},
    {"mtmlDeviceInitMemory", nullptr, offsetof(Api, init_memory), false},
    {"mtmlMemoryGetTotal", nullptr, offsetof(Api, memory_total), false},
    {"mtmlMemoryGetUsed", nullptr, offsetof(Api, memory_used), false},
    {"mtmlMemoryGetClock", nullptr, offsetof(Api, memory_clock), false},
    {"mtmlMemoryGetMaxClock", nullptr, offsetof(Api, max_memory_clock), false},
    {"mtmlMemoryGetEccErrorCounter", nullptr, offsetof(Api, ecc_errors), false},
    {"mtmlMemoryGetRetiredPagesPendingStatus", nullptr, offsetof(Api, pages_pending), false},
};

std::string reason(Api const& api, int code) {
  char const* const text = api.error_string == nullptr ? nullptr : api.error_string(code);
  return fmt::format("{} (code {})", text == nullptr ? "error" : text, code);
}

// False as well when the symbol is missing.
template <class Call, class... Arguments>
bool ask(Call call, Arguments... arguments) {
  return call != nullptr && call(arguments...) == kSuccess;
}

// A library that wants more room than its header says gets it.
std::optional<std::string> text_of(GetText get, void* handle, unsigned capacity) {
  std::array<char, 256> buffer{};
  if (get == nullptr) return std::nullopt;
  int code = get(handle, buffer.data(), capacity);
  if (code == kInsufficientSize) code = get(handle, buffer.data(), buffer.size() - 1);
  if (code != kSuccess) return std::nullopt;
  return std::string(buffer.data());
}

std::optional<double> number_of(GetNumber get, void* handle) {
  unsigned value = 0;
  return ask(get, handle, &value) ? std::optional<double>(value) : std::nullopt;
}

std::optional<std::string> pci_of(Api const& api, void* handle) {
  PciInfo pci{};
  if (api.pci == nullptr || api.pci(handle, &pci) != kSuccess) return std::nullopt;
  pci.sbdf[sizeof(pci.sbdf) - 1] = '\0';
  if (pci.sbdf[0] != '\0') return normalise_pci(pci.sbdf);
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.segment, pci.bus, pci.device);
}

void read_memory(Api const& api, void* memory, Device& device) {
  device.readings.memory_clock_mhz = number_of(api.memory_clock, memory);
  device.readings.memory_clock_max_mhz = number_of(api.max_memory_clock, memory);
  unsigned long long total = 0;
  unsigned long long used = 0;
  if (!ask(api.memory_total, memory, &total)) return;
  device.memory_total_bytes = total;
  if (ask(api.memory_used, memory, &used) && used <= total) {
    device.memory_free_bytes = total - used;
  }
}

std::optional<std::string> health_of(Api const& api, void* memory) {
  constexpr int kUncorrected = 1;
  constexpr int kSinceDriverStart = 0;
  constexpr int kDeviceMemory = 1;
  std::optional<std::string> result;
  unsigned long long errors = 0;
  if (ask(api.ecc_errors, memory, kUncorrected, kSinceDriverStart, kDeviceMemory, &errors)) {
    result = errors == 0 ? "ok" : fmt::format("{} uncorrected memory errors", errors);
  }
  int is_pending = 0;
  if (ask(api.pages_pending, memory, &is_pending)) {
    if (is_pending != 0) return "memory pages wait for a reset to be retired";
    if (!result) result = "ok";
  }
  return result;
}

void read_readings(Api const& api, void* handle, Device& device) {
  DeviceReadings& readings = device.readings;
  unsigned mw = 0;
  if (ask(api.power_mw, handle, &mw)) readings.power_w = mw / 1000.0;
  void* gpu = nullptr;
  if (ask(api.init_gpu, handle, &gpu)) {
    readings.clock_mhz = number_of(api.clock, gpu);
    readings.clock_max_mhz = number_of(api.max_clock, gpu);
    int degrees = 0;
    if (ask(api.temperature, gpu, &degrees)) readings.temperature_c = degrees;
  }
  void* memory = nullptr;
  if (!ask(api.init_memory, handle, &memory)) return;
  read_memory(api, memory, device);
  readings.health = health_of(api, memory);
}

std::optional<std::string> driver_version(Api const& api, void* library) {
  void* system = nullptr;
  if (!ask(api.init_system, library, &system)) return std::nullopt;
  return text_of(api.driver_version, system, 80);
}

void add_device(Api const& api, void* library, unsigned index,
                std::optional<std::string> const& driver, SourceAnswer& answer) {
  void* handle = nullptr;
  int const code = api.by_index(library, index, &handle);
  if (code != kSuccess) {
    answer.notes.push_back(fmt::format("mtml: device {} left out: {}", index, reason(api, code)));
    return;
  }
  Device device;
  device.index = static_cast<int>(index);
  device.uuid = text_of(api.uuid, handle, 48);
  device.name = text_of(api.name, handle, 32);
  device.pci = pci_of(api, handle);
  device.driver = driver;
  read_readings(api, handle, device);
  answer.devices.push_back(std::move(device));
}

}  // namespace

// MTML tells no running processes, no limit of power and no reason of a low clock: they stay
// absent.
SourceAnswer ask_mtml(Source const& source, ProbeOptions const& options) {
  SourceAnswer answer;
  Api api{};
  auto const loaded = load_library(source.libraries, options.environment, kSymbols, &api);
  if (!loaded) {
    answer.notes.push_back("mtml: " + loaded.error().text);
    return answer;
  }
  void* library = nullptr;
  int code = api.init(&library);
  if (code != kSuccess) {
    answer.notes.push_back(
        fmt::format("mtml: {} does not start: {}", loaded->library, reason(api, code)));
    return answer;
  }
  unsigned count = 0;
  code = api.count(library, &count);
  if (code != kSuccess) {
    answer.notes.push_back(fmt::format("mtml: cannot count devices: {}", reason(api, code)));
  }
  std::optional<std::string> const driver = driver_version(api, library);
  for (unsigned index = 0; index < count; ++index) {
    add_device(api, library, index, driver, answer);
  }
  if (answer.devices.empty() && answer.notes.empty()) {
    answer.notes.push_back(fmt::format("mtml: {} lists no device", loaded->library));
  }
  if (api.shut_down != nullptr) api.shut_down(library);
  return answer;
}

}  // namespace zl::backend
