#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

#include "backend/vendors/amdsmi_api.h"
#include "backend/vendors/node_order.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

using namespace amdsmi;

// The library's structures grow from release to release, so every one is read into a page, and only
// its first fields, which have stayed where they are.
using Page = std::array<unsigned char, 4096>;
constexpr std::uint32_t kNotTold = 0xffffffff;

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
  auto const current_mhz = field<std::uint32_t>(page, kClockNow);
  auto const highest_mhz = field<std::uint32_t>(page, kClockMax);
  if (current_mhz != kNotTold) now = current_mhz;
  if (highest_mhz != kNotTold) max = highest_mhz;
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
    auto const uncorrected = field<std::uint64_t>(page, kUncorrected);
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
  if (ask(api.node, processor, page.data())) {
    auto const node = field<std::uint32_t>(page, kNode);
    if (node != kNotTold) found.node = node;
  }
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
