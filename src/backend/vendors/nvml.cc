#include <array>
#include <cstddef>
#include <fmt/format.h>

#include "backend/library.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

constexpr int kSuccess = 0;
constexpr int kNoPermission = 4;
constexpr int kInsufficientSize = 7;
constexpr unsigned kTextBytes = 96;

// NVML's own structures and signatures (nvml.h); layouts are the same in every version so far.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);

struct Memory {
  unsigned long long total, free, used;
};

struct Api {
  int (*init)();
  int (*shutdown)();
  char const* (*error_string)(int);
  int (*count)(unsigned*);
  int (*by_index)(unsigned, void**);
  int (*uuid)(void*, char*, unsigned);
  int (*name)(void*, char*, unsigned);
  int (*pci)(void*, PciInfo*);
  int (*compute_capability)(void*, int*, int*);
  int (*memory)(void*, Memory*);
  int (*compute_processes)(void*, unsigned*, void*);
  int (*mig_mode)(void*, unsigned*, unsigned*);
};

// The suffixed names: an unsuffixed symbol in the library is the oldest ABI, not the newest. Of the
// process list only the count is read, which all its versions report alike.
constexpr Symbol kSymbols[] = {
    {"nvmlInit_v2", "nvmlInit", offsetof(Api, init), true},
    {"nvmlShutdown", nullptr, offsetof(Api, shutdown), false},
    {"nvmlErrorString", nullptr, offsetof(Api, error_string), false},
    {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", offsetof(Api, count), true},
    {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", offsetof(Api, by_index), true},
    {"nvmlDeviceGetUUID", nullptr, offsetof(Api, uuid), false},
    {"nvmlDeviceGetName", nullptr, offsetof(Api, name), false},
    {"nvmlDeviceGetPciInfo_v3", nullptr, offsetof(Api, pci), false},
    {"nvmlDeviceGetCudaComputeCapability", nullptr, offsetof(Api, compute_capability), false},
    {"nvmlDeviceGetMemoryInfo", nullptr, offsetof(Api, memory), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
     offsetof(Api, compute_processes), false},
    {"nvmlDeviceGetMigMode", nullptr, offsetof(Api, mig_mode), false},
};

std::string reason(Api const& api, int code) {
  char const* const text = api.error_string == nullptr ? nullptr : api.error_string(code);
  return fmt::format("{} (code {})", text == nullptr ? "error" : text, code);
}

std::optional<std::string> text_of(int (*get)(void*, char*, unsigned), void* handle) {
  std::array<char, kTextBytes + 1> buffer{};
  if (get == nullptr || get(handle, buffer.data(), kTextBytes) != kSuccess) return std::nullopt;
  return std::string(buffer.data());
}

std::optional<int> count_processes(Api const& api, void* handle) {
  if (api.compute_processes == nullptr) return std::nullopt;
  unsigned count = 0;
  int const code = api.compute_processes(handle, &count, nullptr);
  if (code != kSuccess && code != kInsufficientSize) return std::nullopt;
  return static_cast<int>(count);
}

Device describe(Api const& api, void* handle, int index) {
  Device device;
  device.index = index;
  device.uuid = text_of(api.uuid, handle);
  device.name = text_of(api.name, handle);
  PciInfo pci{};
  if (api.pci != nullptr && api.pci(handle, &pci) == kSuccess) {
    pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
    device.pci = normalise_pci(pci.bus_id);
  }
  int major = 0;
  int minor = 0;
  if (api.compute_capability != nullptr &&
      api.compute_capability(handle, &major, &minor) == kSuccess) {
    device.architecture = fmt::format("sm_{}", major * 10 + minor);
  }
  Memory memory{};
  if (api.memory != nullptr && api.memory(handle, &memory) == kSuccess) {
    device.memory_total_bytes = memory.total;
    device.memory_free_bytes = memory.free;
  }
  device.busy_processes = count_processes(api, handle);
  return device;
}

void add_device(Api const& api, unsigned index, SourceAnswer& answer) {
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
  answer.devices.push_back(describe(api, handle, static_cast<int>(index)));
  unsigned current = 0;
  unsigned pending = 0;
  if (api.mig_mode != nullptr && api.mig_mode(handle, &current, &pending) == kSuccess &&
      current == 1) {
    answer.notes.push_back(
        fmt::format("nvml: device {} is split into MIG instances, which are not listed", index));
  }
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
  for (unsigned index = 0; index < count; ++index) add_device(api, index, answer);
  if (answer.devices.empty() && answer.notes.empty()) {
    answer.notes.push_back(fmt::format("nvml: {} lists no device", loaded->library));
  }
  if (api.shutdown != nullptr) api.shutdown();
  return answer;
}

}  // namespace zl::backend
