#pragma once

#include <span>

#include "backend/runtime.h"

namespace zl::backend {

std::span<RuntimeFamily const> runtime_level_families();
RuntimeFamily const& acl_family();

// A flush writes words of one repeated byte: what a runtime that sets bytes can do too.
constexpr bool repeats_one_byte(unsigned word) {
  return word == (word & 0xff) * 0x01010101u;
}

}  // namespace zl::backend
