#pragma once

#include <cstddef>

#include "base/environment.h"
#include "timing/epochs.h"

namespace zl::native {

// This child's place in the counters of the children of its device (docs/child-protocol.md). Does
// nothing where there are none.
class Board {
 public:
  Board() = default;
  // The memory that ZL_BOARD_FD names, for `seats` children of which this is number `seat`.
  static Board from_environment(Environment const& environment, std::size_t seat,
                                std::size_t seats);

  // At the begin and at the end of work on the device.
  void note();
  std::size_t others() const { return seats_ > 0 ? seats_ - 1 : 0; }
  // Has the counters of the others watched; they stay as long as the process.
  void show(timing::Epochs& epochs) const;

 private:
  void* memory_ = nullptr;
  std::size_t seat_ = 0;
  std::size_t seats_ = 0;
};

}  // namespace zl::native
