#include <cstddef>

#include "backend/device_state.h"
#include "backend/library.h"
#include "backend/vendors/vendor_runtimes.h"

namespace zl::backend {

namespace {

// Of nvml.h's nvmlClocksEventReasons.
constexpr unsigned long long kPowerCap = 0x4;
constexpr unsigned long long kHardwareSlowdown = 0x8;
constexpr unsigned long long kThermalSlowdown = 0x20 | 0x40;  // by the driver, by the hardware
constexpr unsigned long long kPowerBrake = 0x80;
constexpr int kDeviceSensor = 0;

struct Api {
  int (*init)();
  int (*shutdown)();
  int (*by_pci_address)(char const*, void**);
  int (*clock_reasons)(void*, unsigned long long*);
  int (*temperature)(void*, int sensor, unsigned* degrees);
};

constexpr Symbol kSymbols[] = {
    {"nvmlInit_v2", "nvmlInit", offsetof(Api, init), true},
    {"nvmlShutdown", nullptr, offsetof(Api, shutdown), true},
    {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId",
     offsetof(Api, by_pci_address), true},
    {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     offsetof(Api, clock_reasons), true},
    {"nvmlDeviceGetTemperature", nullptr, offsetof(Api, temperature), false},
};

class NvmlState : public DeviceStateReader {
 public:
  NvmlState(Api const& api, void* device) : api_(api), device_(device) {}
  // The library counts who started it.
  ~NvmlState() override { api_.shutdown(); }
  NvmlState(NvmlState const&) = delete;
  NvmlState& operator=(NvmlState const&) = delete;

  std::optional<DeviceState> state() override {
    unsigned long long reasons = 0;
    if (api_.clock_reasons(device_, &reasons) != 0) return std::nullopt;
    return DeviceState{(reasons & (kHardwareSlowdown | kThermalSlowdown | kPowerBrake)) != 0,
                       (reasons & kPowerCap) != 0};
  }

  std::optional<double> temperature_c() override {
    unsigned degrees = 0;
    bool const is_told =
        api_.temperature != nullptr && api_.temperature(device_, kDeviceSensor, &degrees) == 0;
    return is_told ? std::optional<double>(degrees) : std::nullopt;
  }

 private:
  Api api_;
  void* device_;
};

}  // namespace

std::unique_ptr<DeviceStateReader> open_nvml_state(std::vector<std::string> const& libraries,
                                                   char const* pci_address) {
  Api api{};
  if (!load_library(libraries, {}, kSymbols, &api) || api.init() != 0) return nullptr;
  void* device = nullptr;
  if (api.by_pci_address(pci_address, &device) == 0) {
    return std::make_unique<NvmlState>(api, device);
  }
  api.shutdown();
  return nullptr;
}

}  // namespace zl::backend
