// What a device says of itself beside its work: for between measurements, since asking takes time.
#pragma once

#include <memory>
#include <optional>

#include "backend/runtime.h"

namespace zl::backend {

struct DeviceState {
  bool is_slowed_down = false;   // by the hardware, for heat or for power that it cannot stand
  bool is_power_capped = false;  // by the driver, to stay within the power that was set
};

class DeviceStateReader {
 public:
  virtual ~DeviceStateReader() = default;
  // Of this moment; empty where the device does not tell.
  virtual std::optional<DeviceState> state() = 0;
  virtual std::optional<double> temperature_c() = 0;
};

// Of the runtime's own number for a device; null where nobody tells its state.
std::unique_ptr<DeviceStateReader> open_device_state(DeviceRuntime const& runtime, int device);

}  // namespace zl::backend
