#pragma once

#include <string_view>
#include <vector>

#include "base/fd.h"

namespace zl {

// Turns signals into bytes of a pipe that a poll loop can wait for. One at a time per process; the
// default actions come back at the end. SIGPIPE is ignored meanwhile.
class SignalWatch {
 public:
  explicit SignalWatch(std::vector<int> const& signals);
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;
  ~SignalWatch();

  int fd() const { return read_end_.get(); }
  // The signals that came since the last call, in order.
  std::vector<int> take();

 private:
  std::vector<int> signals_;
  Fd read_end_;
  Fd write_end_;
};

}  // namespace zl
