#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/environment.h"
#include "base/fd.h"
#include "native/board.h"

namespace zl::native {

// The child's end of docs/child-protocol.md. A parent that is gone is no error: sending then does
// nothing, and should_end() says that there is no point in going on.
class Channel {
 public:
  // No parent at all when `fd` is not open.
  explicit Channel(Fd fd);
  // The descriptor that ZL_CHANNEL_FD names, kept from programs that this one starts.
  static Channel from_environment(Environment const& environment);

  // Counts the work on the device from now on.
  void count_on(Board board) { board_ = board; }
  Board const& board() const { return board_; }

  void send(nlohmann::json const& message);
  // Ask for the right to use the device beside others, or to measure alone, and wait for it,
  // however long that takes: the parent's limits hold here. Asking gives back what was held. False
  // when the parent says stop, or is gone.
  bool share_device() { return held_ == "device" ? !should_end() : ask("device"); }
  bool acquire_lease() { return ask("lease"); }
  // Gives back what is held, if anything.
  void leave_device();
  // Reads what has come, without waiting.
  bool should_end();
  bool is_stopped() const { return is_stopped_; }
  bool has_parent() const { return fd_.is_open(); }

 private:
  bool ask(std::string const& what);
  void put_down();
  // Takes what can be read now; with `wait`, waits until there is something.
  void receive(bool wait);
  void take_lines();
  void take_line(std::string const& line);

  Fd fd_;
  std::string pending_;  // the line that is still coming in
  bool is_stopped_ = false;
  std::string granted_;  // "device", "lease", or empty
  std::string held_;
  Board board_;
};

}  // namespace zl::native
