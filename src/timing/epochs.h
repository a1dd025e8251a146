#pragma once

#include <cstddef>
#include <cstdint>

namespace zl::timing {

// What must keep still during a burst, as one number: it differs between two readings when anything
// changed in between, or is at work right now.
class Epochs {
 public:
  // Changes whenever something compiles or tunes in this process; null: none.
  void watch(std::uint64_t const* counter) { own_ = counter; }
  // Of the processes that share the device: `stride` bytes apart, odd while one is at work there.
  void watch_others(std::uint64_t const* first, std::size_t count, std::size_t stride,
                    std::size_t own);
  std::uint64_t read();

 private:
  std::uint64_t const* own_ = nullptr;
  char const* others_ = nullptr;
  std::size_t count_ = 0;
  std::size_t stride_ = 0;
  std::size_t own_place_ = 0;
  std::uint64_t disturbed_ = 0;  // readings that found somebody at work: each is like no other
};

}  // namespace zl::timing
