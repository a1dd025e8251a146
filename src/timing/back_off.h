#pragma once

#include <cstdint>
#include <optional>

namespace zl::timing {

// How long to leave a device alone that its own hardware has slowed down: longer each time, three
// times a visit, and not for ever in all visits together.
class BackOff {
 public:
  void start_visit() { tries_ = 0; }
  // Empty: it has been waited for enough.
  std::optional<std::int64_t> next_ns();

 private:
  int tries_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace zl::timing
