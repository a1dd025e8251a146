#pragma once

#include <cstddef>

namespace zl::run {

// What a child may do on its device: nothing; work beside the others; or, alone, measure: that is
// the lease (docs/child-protocol.md).
enum class Access { none, shared, exclusive };

// From the counter of one seat to that of the next: no two in one cache line.
inline constexpr std::size_t kBoardStrideBytes = 64;

}  // namespace zl::run
