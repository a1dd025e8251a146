#pragma once

#include <span>

#include "backend/runtime.h"

namespace zl::backend {

std::span<RuntimeFamily const> runtime_level_families();
RuntimeFamily const& acl_family();

// Through the first of `libraries` that opens; null where none does, or none knows the device.
std::unique_ptr<DeviceStateReader> open_nvml_state(std::vector<std::string> const& libraries,
                                                   char const* pci_address);

// A flush writes words of one repeated byte: what a runtime that sets bytes can do too.
constexpr bool repeats_one_byte(unsigned word) {
  return word == (word & 0xff) * 0x01010101u;
}

}  // namespace zl::backend
