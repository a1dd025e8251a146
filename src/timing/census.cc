#define XXH_INLINE_ALL
#include "timing/census.h"

#include <fmt/format.h>
#include <vector>
#include <xxhash.h>

namespace zl::timing {

namespace {

enum NodeType {
  kKernel = 0,
  kCopy = 1,
  kMemset = 2,
  kHost = 3,
  kChild = 4,
  kMemoryAlloc = 10,
  kMemoryFree = 11,
  kConditional = 13
};

// "kernel NAME 1x2x3 32x1x1 0\n"; without a name where the runtime tells none.
DeviceResult<std::string> kernel_line(Session const& session, Handle node) {
  if (session.api().graph_kernel == nullptr) return std::string("kernel\n");
  backend::KernelNode kernel{};
  ZL_TRY_DEVICE(session.check(session.api().graph_kernel(node, &kernel), "reading a kernel node"));
  char const* name = nullptr;
  if (session.api().function_name != nullptr && kernel.function != nullptr &&
      session.api().function_name(&name, kernel.function) != 0) {
    name = nullptr;
  }
  return fmt::format("kernel {} {}x{}x{} {}x{}x{} {}\n", name == nullptr ? "" : name,
                     kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0],
                     kernel.block[1], kernel.block[2], kernel.shared_bytes);
}

class Counting {
 public:
  explicit Counting(Session const& session) : session_(session) {}

  DeviceResult<void> add(Handle graph) {
    std::size_t count = 0;
    auto const& api = session_.api();
    ZL_TRY_DEVICE(session_.check(api.graph_nodes(graph, nullptr, &count), "counting nodes"));
    std::vector<Handle> nodes(count);
    if (count > 0) {
      ZL_TRY_DEVICE(session_.check(api.graph_nodes(graph, nodes.data(), &count), "listing nodes"));
    }
    for (Handle const node : nodes) ZL_TRY_DEVICE(add_node(node));
    return {};
  }

  NodeCensus result() {
    census_.fingerprint = XXH3_64bits(text_.data(), text_.size());
    return census_;
  }

 private:
  DeviceResult<void> add_node(Handle node) {
    int type = 0;
    ZL_TRY_DEVICE(session_.check(session_.api().graph_node_type(node, &type), "reading a node"));
    if (type == kKernel) {
      auto const line = kernel_line(session_, node);
      if (!line) return tl::unexpected<DeviceError>(line.error());
      text_ += *line;
    } else {
      text_ += fmt::format("node {}\n", type);
    }
    count(type);
    if (type != kChild || session_.api().graph_child == nullptr) return {};
    Handle child = nullptr;
    ZL_TRY_DEVICE(
        session_.check(session_.api().graph_child(node, &child), "reading a child graph"));
    return add(child);
  }

  void count(int type) {
    switch (type) {
      case kKernel:
        ++census_.kernels;
        break;
      case kCopy:
        ++census_.copies;
        break;
      case kMemset:
        ++census_.memsets;
        break;
      case kHost:
        ++census_.host_calls;
        break;
      case kMemoryAlloc:
      case kMemoryFree:
      case kConditional:
        ++census_.refused;
        break;
      default:
        ++census_.others;
    }
  }

  Session const& session_;
  NodeCensus census_;
  std::string text_;
};

}  // namespace

DeviceResult<NodeCensus> take_census(Session const& session, Handle graph) {
  Counting counting(session);
  ZL_TRY_DEVICE(counting.add(graph));
  return counting.result();
}

}  // namespace zl::timing
