#pragma once

#include <cstdint>
#include <string>

#include "timing/session.h"

namespace zl::timing {

// What a captured graph consists of, with its child graphs.
struct NodeCensus {
  std::size_t kernels = 0;
  std::size_t copies = 0;
  std::size_t memsets = 0;
  std::size_t host_calls = 0;
  std::size_t others = 0;   // that can be composed: empty, events, ...
  std::size_t refused = 0;  // that a graph made of this one may not hold: memory, conditions
  // Of the ordered list of nodes with the kernels' names and shapes: another choice of a tuner has
  // another fingerprint.
  std::uint64_t fingerprint = 0;

  // No work for the device at all: what was captured did it elsewhere, or not.
  bool is_empty() const { return kernels + copies + memsets == 0; }
};

DeviceResult<NodeCensus> take_census(Session const& session, Handle graph);

}  // namespace zl::timing
