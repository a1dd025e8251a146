#include "batch/board.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <utility>

#include "run/access.h"

namespace zl::batch {

Result<Board> Board::create(int seats) {
  std::size_t const bytes = static_cast<std::size_t>(seats) * run::kBoardStrideBytes;
  Fd fd(::memfd_create("zlbench-board", MFD_CLOEXEC));
  bool const is_sized = fd.is_open() && ::ftruncate(fd.get(), static_cast<off_t>(bytes)) == 0;
  void* const memory = is_sized
                           ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0)
                           : MAP_FAILED;
  if (memory == MAP_FAILED) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make memory that children share: {}", std::strerror(errno)));
  }
  return Board(std::move(fd), memory, bytes);
}

Board::Board(Board&& other) noexcept
    : fd_(std::move(other.fd_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_) {}

Board::~Board() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void Board::settle(int seat) {
  auto* const place =
      static_cast<char*>(memory_) + static_cast<std::size_t>(seat) * run::kBoardStrideBytes;
  std::atomic_ref<std::uint64_t> const counter(*reinterpret_cast<std::uint64_t*>(place));
  if (counter.load() % 2 != 0) counter.fetch_add(1);
}

}  // namespace zl::batch
