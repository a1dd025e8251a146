#include "timing/epochs.h"

namespace zl::timing {

namespace {

// Written by somebody else, without a lock.
std::uint64_t now_in(void const* counter) {
  return *static_cast<std::uint64_t const volatile*>(counter);
}

}  // namespace

void Epochs::watch_others(std::uint64_t const* first, std::size_t count, std::size_t stride,
                          std::size_t own) {
  others_ = reinterpret_cast<char const*>(first);
  count_ = count;
  stride_ = stride;
  own_place_ = own;
}

std::uint64_t Epochs::read() {
  std::uint64_t sum = own_ == nullptr ? 0 : now_in(own_);
  for (std::size_t i = 0; i < count_; ++i) {
    if (i == own_place_) continue;
    std::uint64_t const counter = now_in(others_ + i * stride_);
    sum += counter;
    if (counter % 2 != 0) ++disturbed_;
  }
  // Counters only grow, and so does this: no change cancels another.
  return sum + disturbed_;
}

}  // namespace zl::timing
