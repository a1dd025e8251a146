#include "backend/vendors/node_order.h"

#include <algorithm>

namespace zl::backend {

std::vector<Device> in_runtime_order(std::vector<NodeDevice> found) {
  bool const has_nodes = std::all_of(found.begin(), found.end(),
                                     [](NodeDevice const& each) { return each.node.has_value(); });
  std::stable_sort(found.begin(), found.end(), [&](NodeDevice const& a, NodeDevice const& b) {
    return has_nodes ? a.node < b.node : a.device.pci < b.device.pci;
  });
  std::vector<Device> result;
  for (NodeDevice& each : found) {
    each.device.index = static_cast<int>(result.size());
    result.push_back(std::move(each.device));
  }
  return result;
}

}  // namespace zl::backend
