#include "backend/device_state.h"

#include <array>

namespace zl::backend {

std::unique_ptr<DeviceStateReader> open_device_state(DeviceRuntime const& runtime, int device) {
  bool const is_told =
      runtime.family->open_state != nullptr && runtime.api.device_pci_address != nullptr;
  std::array<char, 32> address{};
  if (!is_told || runtime.api.device_pci_address(address.data(), address.size() - 1, device) != 0) {
    return nullptr;
  }
  return runtime.family->open_state(address.data());
}

}  // namespace zl::backend
