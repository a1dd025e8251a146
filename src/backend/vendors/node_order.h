#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/device.h"

namespace zl::backend {

// A device and its node in the kernel's topology, where its library tells it.
struct NodeDevice {
  Device device;
  std::optional<std::uint32_t> node;
};

// The runtime counts in the order of the nodes, the management libraries do not. Where a node is
// not known, all are put in the order of their PCI addresses. Sets the indices.
std::vector<Device> in_runtime_order(std::vector<NodeDevice> found);

}  // namespace zl::backend
