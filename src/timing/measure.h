#pragma once

#include "timing/record.h"
#include "timing/timing_graph.h"

namespace zl::timing {

struct MeasureParams {
  BurstStoppingParams stopping;
};

// Visits `source` twice, a third time when the two disagree, and adds the visits to `record`, whose
// other fields are set. A visit that drifts is taken again once.
DeviceResult<void> measure(Session const& session, BurstSource& source, Handle stream,
                           MeasureParams const& params, Record* record);

// Waits until the device's clock keeps still, by short spins of little power; without device code
// it returns at once. The clock in MHz, 0: not known.
DeviceResult<double> wait_for_steady_clock(Session const& session, Handle stream);

}  // namespace zl::timing
