#include "timing/back_off.h"

namespace zl::timing {

namespace {
constexpr std::int64_t kFirst_ns = 100'000'000;
constexpr std::int64_t kMost_ns = 2'000'000'000;
constexpr int kMostTries = 3;
}  // namespace

std::optional<std::int64_t> BackOff::next_ns() {
  std::int64_t const wait_ns = kFirst_ns << tries_;
  if (tries_ == kMostTries || waited_ns_ + wait_ns > kMost_ns) return std::nullopt;
  ++tries_;
  waited_ns_ += wait_ns;
  return wait_ns;
}

}  // namespace zl::timing
