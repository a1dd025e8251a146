#include "native/board.h"

#include <atomic>
#include <climits>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/text.h"

namespace zl::native {

namespace {

constexpr std::size_t kStrideBytes = 64;  // docs/child-protocol.md

}  // namespace

Board Board::from_environment(Environment const& environment, std::size_t seat, std::size_t seats) {
  Board board;
  auto const number = parse_integer(lookup(environment, "ZL_BOARD_FD").value_or(""));
  if (!number || *number < 0 || *number > INT_MAX || seat >= seats) return board;
  int const fd = static_cast<int>(*number);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  struct stat info {};
  std::size_t const bytes = seats * kStrideBytes;
  bool const is_large_enough = ::fstat(fd, &info) == 0 && info.st_size >= static_cast<off_t>(bytes);
  if (!is_large_enough) return board;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return board;
  board.memory_ = memory;
  board.seat_ = seat;
  board.seats_ = seats;
  return board;
}

void Board::note() {
  if (memory_ == nullptr) return;
  auto* const place = static_cast<char*>(memory_) + seat_ * kStrideBytes;
  std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(place)).fetch_add(1);
}

void Board::show(timing::Epochs& epochs) const {
  if (memory_ == nullptr) return;
  epochs.watch_others(static_cast<std::uint64_t const*>(memory_), seats_, kStrideBytes, seat_);
}

}  // namespace zl::native
