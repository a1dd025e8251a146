#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/environment.h"
#include "base/fd.h"

namespace zl::native {

// The child's end of docs/child-protocol.md. A parent that is gone is no error: sending then does
// nothing, and should_end() says that there is no point in going on.
class Channel {
 public:
  // No parent at all when `fd` is not open.
  explicit Channel(Fd fd);
  // The descriptor that ZL_CHANNEL_FD names, kept from programs that this one starts.
  static Channel from_environment(Environment const& environment);

  void send(nlohmann::json const& message);
  // Asks for the right to measure and waits for it, however long that takes: the parent's limits
  // hold here. False when the parent says stop, or is gone.
  bool acquire_lease();
  void release_lease();
  // Reads what has come, without waiting.
  bool should_end();
  bool is_stopped() const { return is_stopped_; }
  bool has_parent() const { return fd_.is_open(); }

 private:
  // Takes what can be read now; with `wait`, waits until there is something.
  void receive(bool wait);
  void take_lines();
  void take_line(std::string const& line);

  Fd fd_;
  std::string pending_;  // the line that is still coming in
  bool is_stopped_ = false;
  bool has_lease_ = false;
};

}  // namespace zl::native
