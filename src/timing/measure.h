#pragma once

#include <functional>
#include <span>

#include "timing/burst_source.h"
#include "timing/record.h"
#include "timing/session.h"

namespace zl::timing {

struct MeasureParams {
  BurstStoppingParams stopping;
};

// What stands around the bursts.
struct Surroundings {
  HostEnvironment const* host = nullptr;
  // Waits until the device's clock keeps still; the clock in MHz, 0: not known.
  std::function<DeviceResult<double>()> wait_for_steady_clock;
  backend::DeviceStateReader* device_state = nullptr;  // null: nobody tells
};

struct MeasuredSide {
  BurstSource* source = nullptr;
  Record* record = nullptr;  // gets the visits; its other fields are set
};

// Visits the sides twice, a third time when the two visits to one of them disagree. Within a visit
// their bursts alternate, so that whatever the device does meanwhile happens to both; where sources
// are exclusive their visits alternate, the second time in reverse. A visit in which a side drifts
// is taken again once, for all sides. After a burst on a device that its hardware has slowed down
// it is left alone for a while (back_off.h).
DeviceResult<void> measure(Surroundings const& surroundings, std::span<MeasuredSide const> sides,
                           Handle stream, MeasureParams const& params);

// By short spins of little power; without device code it returns at once.
DeviceResult<double> wait_for_steady_clock(Session const& session, Handle stream);

}  // namespace zl::timing
