#pragma once

#include <cstddef>

#include "base/fd.h"
#include "base/result.h"

namespace zl::batch {

// The counters of one device, in memory that its children share: one for each seat, odd while the
// child on it is at work there. Whoever measures reads those of the others before and after each
// burst, so that its record proves that they kept still (docs/child-protocol.md).
class Board {
 public:
  static Result<Board> create(int seats);
  Board(Board&& other) noexcept;
  Board& operator=(Board&&) = delete;
  Board(Board const&) = delete;
  Board& operator=(Board const&) = delete;
  ~Board();

  int fd() const { return fd_.get(); }
  // The child on this seat is gone: one that died at work has left its counter odd.
  void settle(int seat);

 private:
  Board(Fd fd, void* memory, std::size_t bytes)
      : fd_(std::move(fd)), memory_(memory), bytes_(bytes) {}
  Fd fd_;
  void* memory_;
  std::size_t bytes_;
};

}  // namespace zl::batch
