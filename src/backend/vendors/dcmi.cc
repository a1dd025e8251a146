#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

#include "backend/library.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

namespace {

constexpr int kSuccess = 0;
constexpr int kNotInContainer = -8013;
constexpr int kProcessor = 0;  // of the units of a card; others manage it
constexpr int kVirtualDie = 1;
constexpr int kMemoryFrequency = 6;
constexpr int kCoreFrequency = 7;
constexpr int kCoreFrequencyMax = 9;

// DCMI's own structures and signatures (dcmi_interface_api.h). A unit of a card is addressed by the
// numbers of both.
struct ChipInfo {
  unsigned char type[32], name[32], version[32];
  unsigned core_count;
  unsigned char npu_name[32];  // of the second version only
};
static_assert(sizeof(ChipInfo) == 132);

struct PcieInfo {
  unsigned vendor, subvendor, device_id, subdevice;
  int domain;
  unsigned bus, device, function;
  unsigned char reserved[32];
};
static_assert(sizeof(PcieInfo) == 64 && offsetof(PcieInfo, domain) == 16);

struct HbmInfo {
  std::uint64_t size_mb;
  unsigned mhz;
  std::uint64_t used_mb;
  int degrees;
  unsigned bandwidth_percent;
};
static_assert(sizeof(HbmInfo) == 32 && offsetof(HbmInfo, used_mb) == 16);

struct MemoryInfo {
  std::uint64_t size_mb, available_mb;
  unsigned mhz;
  unsigned char rest[200];  // grows: 96 bytes by the header's comment, 112 compiled
};
static_assert(offsetof(MemoryInfo, mhz) == 16);

struct ProcessMemory {
  int pid;
  unsigned long bytes;
};
static_assert(sizeof(ProcessMemory) == 16);

struct Die {
  unsigned words[5];
};

using GetNumber = int (*)(int card, int unit, unsigned*);
using GetSigned = int (*)(int card, int unit, int*);

struct Api {
  int (*init)();
  int (*driver_version)(char*, unsigned);
  int (*cards)(int* count, int* list, int room);
  int (*units)(int card, int* count);
  GetSigned type;
  int (*logic_id)(int* id, int card, int unit);
  int (*chip_v2)(int card, int unit, ChipInfo*);
  int (*chip)(int card, int unit, ChipInfo*);
  int (*die_v2)(int card, int unit, int type, Die*);
  int (*die)(int card, int unit, Die*);
  int (*pcie)(int card, int unit, PcieInfo*);
  int (*hbm)(int card, int unit, HbmInfo*);
  int (*memory)(int card, int unit, MemoryInfo*);
  int (*frequency)(int card, int unit, int type, unsigned*);
  GetSigned temperature;
  GetSigned power;
  GetNumber health;
  int (*processes)(int card, int unit, ProcessMemory*, int* count);
};

constexpr Symbol kSymbols[] = {
    {"dcmi_init", nullptr, offsetof(Api, init), true},
    {"dcmi_get_driver_version", nullptr, offsetof(Api, driver_version), false},
    {"dcmi_get_card_list", "dcmi_get_card_num_list", offsetof(Api, cards), true},
    {"dcmi_get_device_num_in_card", nullptr, offsetof(Api, units), true},
    {"dcmi_get_device_type", nullptr, offsetof(Api, type), true},
    {"dcmi_get_device_logic_id", nullptr, offsetof(Api, logic_id), true},
    {"dcmi_get_device_chip_info_v2", nullptr, offsetof(Api, chip_v2), false},
    {"dcmi_get_device_chip_info", nullptr, offsetof(Api, chip), false},
    {"dcmi_get_device_die_v2", nullptr, offsetof(Api, die_v2), false},
    {"dcmi_get_device_die", nullptr, offsetof(Api, die), false},
    {"dcmi_get_device_pcie_info_v2", nullptr, offsetof(Api, pcie), false},
    {"dcmi_get_device_hbm_info", nullptr, offsetof(Api, hbm), false},
    {"dcmi_get_device_memory_info_v3", nullptr, offsetof(Api, memory), false},
    {"dcmi_get_device_frequency", nullptr, offsetof(Api, frequency), false},
    {"dcmi_get_device_temperature", nullptr, offsetof(Api, temperature), false},
    {"dcmi_get_device_power_info", nullptr, offsetof(Api, power), false},
    {"dcmi_get_device_health", nullptr, offsetof(Api, health), false},
    {"dcmi_get_device_resource_info", nullptr, offsetof(Api, processes), false},
};

std::string reason(int code) {
  return fmt::format("code {}{}", code,
                     code == kNotInContainer ? ", not supported in a container" : "");
}

template <std::size_t Size>
std::string text_of(unsigned char const (&bytes)[Size]) {
  std::string text(reinterpret_cast<char const*>(bytes), Size);
  return text.substr(0, text.find('\0'));
}

// One unit of a card.
class Unit {
 public:
  Unit(Api const& api, int card, int number) : api_(api), card_(card), number_(number) {}

  // False as well when the symbol is missing.
  template <class Call, class... Arguments>
  bool ask(Call call, Arguments... arguments) const {
    return call != nullptr && call(card_, number_, arguments...) == kSuccess;
  }

  bool is_processor() const {
    int type = -1;
    return ask(api_.type, &type) && type == kProcessor;
  }

  std::optional<double> mhz(int type) const {
    unsigned value = 0;
    return ask(api_.frequency, type, &value) ? std::optional<double>(value) : std::nullopt;
  }

  std::optional<std::string> name() const;
  std::optional<std::string> uuid() const;
  std::optional<std::string> pci() const;
  std::optional<std::string> health() const;
  std::optional<std::vector<DeviceProcess>> processes() const;
  void read_memory(Device& device) const;
  void read_readings(DeviceReadings& readings) const;

 private:
  Api const& api_;
  int card_;
  int number_;
};

std::optional<std::string> Unit::name() const {
  ChipInfo chip{};
  if (!ask(api_.chip_v2, &chip)) {
    chip = {};
    if (!ask(api_.chip, &chip)) return std::nullopt;
  }
  std::string const npu_name = text_of(chip.npu_name);
  if (!npu_name.empty()) return npu_name;
  return fmt::format("{} {}", text_of(chip.type), text_of(chip.name));
}

std::optional<std::string> Unit::uuid() const {
  Die die{};
  if (!ask(api_.die_v2, kVirtualDie, &die) && !ask(api_.die, &die)) return std::nullopt;
  auto const& words = die.words;
  return fmt::format("{:08X}-{:08X}-{:08X}-{:08X}-{:08X}", words[0], words[1], words[2], words[3],
                     words[4]);
}

std::optional<std::string> Unit::pci() const {
  PcieInfo pcie{};
  if (!ask(api_.pcie, &pcie)) return std::nullopt;
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", static_cast<unsigned>(pcie.domain), pcie.bus,
                     pcie.device, pcie.function);
}

std::optional<std::string> Unit::health() const {
  unsigned state = 0;
  if (!ask(api_.health, &state)) return std::nullopt;
  constexpr char const* kStates[] = {"ok", "minor alarm", "major alarm", "critical alarm"};
  if (state < std::size(kStates)) return kStates[state];
  return state == ~0u ? "the device is lost" : fmt::format("unknown state {}", state);
}

// At most 32 by the documentation; its own sample makes room for 64.
std::optional<std::vector<DeviceProcess>> Unit::processes() const {
  std::array<ProcessMemory, 64> list{};
  int count = 0;
  if (!ask(api_.processes, list.data(), &count)) return std::nullopt;
  std::vector<DeviceProcess> result;
  for (int i = 0; i < count && i < static_cast<int>(list.size()); ++i) {
    ProcessMemory const& process = list[static_cast<std::size_t>(i)];
    result.push_back({process.pid, process.bytes});
  }
  return result;
}

// Parts with high-bandwidth memory answer to one question, the others to the other.
void Unit::read_memory(Device& device) const {
  constexpr std::uint64_t kMb = 1 << 20;
  HbmInfo hbm{};
  if (ask(api_.hbm, &hbm)) {
    device.memory_total_bytes = hbm.size_mb * kMb;
    if (hbm.used_mb <= hbm.size_mb) device.memory_free_bytes = (hbm.size_mb - hbm.used_mb) * kMb;
    return;
  }
  MemoryInfo memory{};
  if (!ask(api_.memory, &memory)) return;
  device.memory_total_bytes = memory.size_mb * kMb;
  device.memory_free_bytes = memory.available_mb * kMb;
}

// No limit of power, no maximum of the memory's clock, no reasons of a low one.
void Unit::read_readings(DeviceReadings& readings) const {
  readings.clock_mhz = mhz(kCoreFrequency);
  readings.clock_max_mhz = mhz(kCoreFrequencyMax);
  readings.memory_clock_mhz = mhz(kMemoryFrequency);
  int degrees = 0;
  if (ask(api_.temperature, &degrees)) readings.temperature_c = degrees;
  int tenths_w = 0;
  if (ask(api_.power, &tenths_w)) readings.power_w = tenths_w / 10.0;
  readings.health = health();
  readings.processes = processes();
}

void add_unit(Api const& api, int card, int number, std::optional<std::string> const& driver,
              SourceAnswer& answer) {
  Unit const unit(api, card, number);
  if (!unit.is_processor()) return;
  int index = -1;
  int const code = api.logic_id(&index, card, number);
  if (code != kSuccess || index < 0) {
    answer.notes.push_back(fmt::format("dcmi: unit {} of card {} left out: no logical id ({})",
                                       number, card, reason(code)));
    return;
  }
  Device device;
  device.index = index;
  device.name = unit.name();
  device.uuid = unit.uuid();
  device.pci = unit.pci();
  device.driver = driver;
  unit.read_memory(device);
  unit.read_readings(device.readings);
  if (device.readings.processes) {
    device.busy_processes = static_cast<int>(device.readings.processes->size());
  }
  answer.devices.push_back(std::move(device));
}

void add_card(Api const& api, int card, std::optional<std::string> const& driver,
              SourceAnswer& answer) {
  int units = 0;
  int const code = api.units(card, &units);
  if (code != kSuccess) {
    answer.notes.push_back(fmt::format("dcmi: card {} left out: {}", card, reason(code)));
    return;
  }
  for (int number = 0; number < units; ++number) add_unit(api, card, number, driver, answer);
}

std::optional<std::string> driver_version(Api const& api) {
  std::array<char, 257> buffer{};
  if (api.driver_version == nullptr ||
      api.driver_version(buffer.data(), buffer.size() - 1) != kSuccess) {
    return std::nullopt;
  }
  return std::string(buffer.data());
}

}  // namespace

// Indices are logical ids, by which the runtime's visibility variable counts. There is no call that
// ends the library.
SourceAnswer ask_dcmi(Source const& source, ProbeOptions const& options) {
  SourceAnswer answer;
  Api api{};
  auto const loaded =
      load_library(source.libraries, options.environment, kSymbols, &api, Binding::lazy_global);
  if (!loaded) {
    answer.notes.push_back("dcmi: " + loaded.error().text);
    return answer;
  }
  if (int const code = api.init(); code != kSuccess) {
    answer.notes.push_back(
        fmt::format("dcmi: {} does not start: {}", loaded->library, reason(code)));
    return answer;
  }
  std::array<int, 64> cards{};
  int count = 0;
  if (int const code = api.cards(&count, cards.data(), cards.size()); code != kSuccess) {
    answer.notes.push_back(fmt::format("dcmi: cannot list the cards: {}", reason(code)));
    return answer;
  }
  std::optional<std::string> const driver = driver_version(api);
  for (int i = 0; i < count && i < static_cast<int>(cards.size()); ++i) {
    add_card(api, cards[static_cast<std::size_t>(i)], driver, answer);
  }
  std::sort(answer.devices.begin(), answer.devices.end(),
            [](Device const& a, Device const& b) { return a.index < b.index; });
  if (answer.devices.empty() && answer.notes.empty()) {
    answer.notes.push_back(fmt::format("dcmi: {} lists no device", loaded->library));
  }
  return answer;
}

}  // namespace zl::backend
