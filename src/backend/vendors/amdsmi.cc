#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>

#include "backend/library.h"
#include "backend/vendors/node_order.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

constexpr int kSuccess = 0;
constexpr std::uint64_t kGpus = 2;  // of the kinds of processors to start for
constexpr int kGpu = 1;             // a type of processor
constexpr int kCoreClock = 0;
constexpr int kMemoryClock = 4;
constexpr int kEdge = 0;          // of the temperature sensors
constexpr int kCurrent = 0;       // of the metrics of a temperature
constexpr int kDeviceMemory = 0;  // a type of memory

// amdsmi's own signatures (amdsmi.h 24.7). Its structures grow from release to release, so every
// one is read into a page, and only its first fields, which have stayed where they are.
using Page = std::array<unsigned char, 4096>;
using GetStructure = int (*)(void*, void*);
using GetMemory = int (*)(void*, int type, std::uint64_t*);

struct Api {
  int (*init)(std::uint64_t);
  int (*shut_down)();
  int (*code_text)(int, char const**);
  int (*sockets)(std::uint32_t* count, void**);
  int (*processors)(void* socket, std::uint32_t* count, void**);
  int (*type)(void*, int*);
  int (*address)(void*, std::uint64_t*);
  GetStructure asic;
  GetStructure node;
  GetMemory memory_total;
  GetMemory memory_used;
  int (*clock)(void*, int clock, void*);
  int (*temperature)(void*, int sensor, int metric, std::int64_t*);
  GetStructure errors;
};

constexpr Symbol kSymbols[] = {
    {"amdsmi_init", nullptr, offsetof(Api, init), true},
    {"amdsmi_shut_down", nullptr, offsetof(Api, shut_down), false},
    {"amdsmi_status_code_to_string", nullptr, offsetof(Api, code_text), false},
    {"amdsmi_get_socket_handles", nullptr, offsetof(Api, sockets), true},
    {"amdsmi_get_processor_handles", nullptr, offsetof(Api, processors), true},
    {"amdsmi_get_processor_type", nullptr, offsetof(Api, type), true},
    {"amdsmi_get_gpu_device_bdf", nullptr, offsetof(Api, address), true},
    {"amdsmi_get_gpu_asic_info", nullptr, offsetof(Api, asic), false},
    {"amdsmi_get_gpu_kfd_info", nullptr, offsetof(Api, node), false},
    {"amdsmi_get_gpu_memory_total", nullptr, offsetof(Api, memory_total), false},
    {"amdsmi_get_gpu_memory_usage", nullptr, offsetof(Api, memory_used), false},
    {"amdsmi_get_clock_info", nullptr, offsetof(Api, clock), false},
    {"amdsmi_get_temp_metric", nullptr, offsetof(Api, temperature), false},
    {"amdsmi_get_gpu_total_ecc_count", nullptr, offsetof(Api, errors), false},
};

std::string reason(Api const& api, int code) {
  char const* text = nullptr;
  if (api.code_text == nullptr || api.code_text(code, &text) != kSuccess) text = nullptr;
  return fmt::format("{} (code {})", text == nullptr ? "error" : text, code);
}

// False as well when the symbol is missing.
template <class Call, class... Arguments>
bool ask(Call call, Arguments... arguments) {
  return call != nullptr && call(arguments...) == kSuccess;
}

template <class T>
T field(Page const& page, std::size_t offset) {
  T value{};
  std::memcpy(&value, page.data() + offset, sizeof(value));
  return value;
}

std::optional<std::string> name_of(Api const& api, void* processor) {
  Page page{};
  if (!ask(api.asic, processor, page.data())) return std::nullopt;
  page.back() = 0;
  std::string name(reinterpret_cast<char const*>(page.data()));
  return name.empty() ? std::nullopt : std::optional(std::move(name));
}

void read_clock(Api const& api, void* processor, int clock, std::optional<double>& now,
                std::optional<double>& max) {
  Page page{};
  if (!ask(api.clock, processor, clock, page.data())) return;
  now = field<std::uint32_t>(page, 0);
  max = field<std::uint32_t>(page, 8);
}

void read_readings(Api const& api, void* processor, DeviceReadings& readings) {
  read_clock(api, processor, kCoreClock, readings.clock_mhz, readings.clock_max_mhz);
  read_clock(api, processor, kMemoryClock, readings.memory_clock_mhz,
             readings.memory_clock_max_mhz);
  std::int64_t degrees = 0;  // the header says thousandths, the library gives whole ones
  if (ask(api.temperature, processor, kEdge, kCurrent, &degrees)) {
    auto const value = static_cast<double>(degrees);
    readings.temperature_c = degrees > 1000 || degrees < -1000 ? value / 1000 : value;
  }
  Page page{};
  if (ask(api.errors, processor, page.data())) {
    auto const uncorrected = field<std::uint64_t>(page, 8);
    readings.health =
        uncorrected == 0 ? "ok" : fmt::format("{} uncorrected memory errors", uncorrected);
  }
}

// No UUID: the library's own is not the one that the runtime's visibility variables read.
NodeDevice describe(Api const& api, void* processor) {
  NodeDevice found;
  Device& device = found.device;
  device.name = name_of(api, processor);
  std::uint64_t address = 0;
  if (ask(api.address, processor, &address)) {
    device.pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address >> 16, address >> 8 & 0xff,
                             address >> 3 & 0x1f, address & 7);
  }
  std::uint64_t total = 0;
  std::uint64_t used = 0;
  if (ask(api.memory_total, processor, kDeviceMemory, &total)) device.memory_total_bytes = total;
  if (device.memory_total_bytes && ask(api.memory_used, processor, kDeviceMemory, &used) &&
      used <= total) {
    device.memory_free_bytes = total - used;
  }
  read_readings(api, processor, device.readings);
  Page page{};
  if (ask(api.node, processor, page.data())) found.node = field<std::uint32_t>(page, 8);
  return found;
}

// Every list comes in two calls: how many, then they themselves.
template <class Call>
std::vector<void*> handles(Call call) {
  std::uint32_t count = 0;
  if (call(&count, nullptr) != kSuccess) return {};
  std::vector<void*> result(count);
  if (call(&count, result.data()) != kSuccess) return {};
  result.resize(std::min<std::size_t>(count, result.size()));
  return result;
}

std::vector<NodeDevice> read_devices(Api const& api) {
  std::vector<NodeDevice> found;
  for (void* const socket : handles(api.sockets)) {
    auto const processors = handles(
        [&](std::uint32_t* count, void** list) { return api.processors(socket, count, list); });
    for (void* const processor : processors) {
      int type = -1;
      if (ask(api.type, processor, &type) && type == kGpu) {
        found.push_back(describe(api, processor));
      }
    }
  }
  return found;
}

}  // namespace

SourceAnswer ask_amdsmi(Source const& source, ProbeOptions const& options) {
  SourceAnswer answer;
  Api api{};
  auto const loaded = load_library(source.libraries, options.environment, kSymbols, &api);
  if (!loaded) {
    answer.notes.push_back("amdsmi: " + loaded.error().text);
    return answer;
  }
  if (int const code = api.init(kGpus); code != kSuccess) {
    answer.notes.push_back(
        fmt::format("amdsmi: {} does not start: {}", loaded->library, reason(api, code)));
    return answer;
  }
  answer.devices = in_runtime_order(read_devices(api));
  if (answer.devices.empty()) {
    answer.notes.push_back(fmt::format("amdsmi: {} lists no device", loaded->library));
  }
  if (api.shut_down != nullptr) api.shut_down();
  return answer;
}

}  // namespace zl::backend
