#include <array>
#include <cstddef>
#include <fmt/format.h>

#include "backend/library.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

constexpr int kSuccess = 0;

// MTML's own structures and signatures (mtml.h 2.2).
struct PciInfo {
  char sbdf[32];  // may be empty: then the numbers below hold the address
  unsigned segment, bus, device, device_id, subsystem_id, bus_width;
  float max_speed, current_speed;
  unsigned max_width, current_width, max_generation, current_generation;
  int reserved[6];
};
static_assert(sizeof(PciInfo) == 104 && offsetof(PciInfo, segment) == 32);

struct Api {
  int (*init)(void**);
  int (*shut_down)(void*);
  char const* (*error_string)(int);
  int (*count)(void const*, unsigned*);
  int (*by_index)(void const*, unsigned, void**);
  int (*uuid)(void const*, char*, unsigned);
  int (*name)(void const*, char*, unsigned);
  int (*pci)(void const*, PciInfo*);
  int (*init_memory)(void const*, void**);
  int (*memory_total)(void const*, unsigned long long*);
  int (*memory_used)(void const*, unsigned long long*);
};

constexpr Symbol kSymbols[] = {
    {"mtmlLibraryInit", nullptr, offsetof(Api, init), true},
    {"mtmlLibraryShutDown", nullptr, offsetof(Api, shut_down), false},
    {"mtmlErrorString", nullptr, offsetof(Api, error_string), false},
    {"mtmlLibraryCountDevice", nullptr, offsetof(Api, count), true},
    {"mtmlLibraryInitDeviceByIndex", nullptr, offsetof(Api, by_index), true},
    {"mtmlDeviceGetUUID", nullptr, offsetof(Api, uuid), false},
    {"mtmlDeviceGetName", nullptr, offsetof(Api, name), false},
    {"mtmlDeviceGetPciInfo", nullptr, offsetof(Api, pci), false},
    {"mtmlDeviceInitMemory", nullptr, offsetof(Api, init_memory), false},
    {"mtmlMemoryGetTotal", nullptr, offsetof(Api, memory_total), false},
    {"mtmlMemoryGetUsed", nullptr, offsetof(Api, memory_used), false},
};

std::string reason(Api const& api, int code) {
  char const* const text = api.error_string == nullptr ? nullptr : api.error_string(code);
  return fmt::format("{} (code {})", text == nullptr ? "error" : text, code);
}

std::optional<std::string> text_of(int (*get)(void const*, char*, unsigned), void* handle,
                                   unsigned capacity) {
  std::array<char, 128> buffer{};
  if (get == nullptr || get(handle, buffer.data(), capacity) != kSuccess) return std::nullopt;
  return std::string(buffer.data());
}

std::optional<std::string> pci_of(Api const& api, void* handle) {
  PciInfo pci{};
  if (api.pci == nullptr || api.pci(handle, &pci) != kSuccess) return std::nullopt;
  pci.sbdf[sizeof(pci.sbdf) - 1] = '\0';
  if (pci.sbdf[0] != '\0') return normalise_pci(pci.sbdf);
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.segment, pci.bus, pci.device);
}

void read_memory(Api const& api, void* handle, Device& device) {
  void* memory = nullptr;
  unsigned long long total = 0;
  unsigned long long used = 0;
  if (api.init_memory == nullptr || api.init_memory(handle, &memory) != kSuccess) return;
  if (api.memory_total == nullptr || api.memory_total(memory, &total) != kSuccess) return;
  device.memory_total_bytes = total;
  if (api.memory_used == nullptr || api.memory_used(memory, &used) != kSuccess) return;
  if (used <= total) device.memory_free_bytes = total - used;
}

void add_device(Api const& api, void* library, unsigned index, SourceAnswer& answer) {
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
  read_memory(api, handle, device);
  answer.devices.push_back(std::move(device));
}

}  // namespace

// MTML tells no running processes, so busy_processes stays absent.
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
  for (unsigned index = 0; index < count; ++index) add_device(api, library, index, answer);
  if (answer.devices.empty() && answer.notes.empty()) {
    answer.notes.push_back(fmt::format("mtml: {} lists no device", loaded->library));
  }
  if (api.shut_down != nullptr) api.shut_down(library);
  return answer;
}

}  // namespace zl::backend
