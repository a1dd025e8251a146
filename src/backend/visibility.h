#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/descriptor.h"
#include "backend/device.h"
#include "base/environment.h"
#include "base/result.h"

namespace zl::backend {

struct VisibleDevices {
  std::vector<Device> devices;     // in the order in which the runtime numbers them
  std::vector<std::string> notes;  // what a mask left out and where it was cut
};

// The caller's universe: what the vendor's runtime would show under the caller's own visibility
// variables. An error when a mask cannot be followed with what is known about the devices (it names
// UUIDs and no source gave any): then nothing is guessed.
Result<VisibleDevices> visible_devices(Descriptor const& descriptor, std::vector<Device> const& all,
                                       Environment const& caller);

// `spec`: "all", or a comma-separated list of indices (as `zlbench devices` prints them), UUIDs or
// unique beginnings of UUIDs. The answer keeps the order of the list.
Result<std::vector<Device>> select_devices(std::string_view spec,
                                           std::vector<Device> const& visible);

// The variables of a child that sees exactly `device`. Includes the descriptor's fixed variables.
std::vector<VariableChange> pin(Descriptor const& descriptor, Device const& device,
                                Environment const& caller);

}  // namespace zl::backend
