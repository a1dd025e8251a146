#pragma once

#include <cstddef>

#include "timing/burst.h"
#include "timing/device_error.h"

namespace zl::timing {

struct BurstShape {
  std::size_t samples = 1;           // up to kMaxSamplesPerBurst
  std::size_t calls_per_sample = 1;  // more than one only when warm
  bool is_cold = true;
};

// Where the bursts of one way of measuring come from.
class BurstSource {
 public:
  virtual ~BurstSource() = default;
  // Around the bursts of a visit; end_visit() also after a begin_visit() or run() that failed.
  virtual DeviceResult<void> begin_visit() = 0;
  virtual void end_visit() {}
  virtual DeviceResult<Burst> run(backend::Handle stream) = 0;
  // The state between begin_visit() and end_visit() is the process': visits of two sources must not
  // overlap.
  virtual bool is_exclusive() const { return false; }
};

}  // namespace zl::timing
