#pragma once

#include "timing/direct_source.h"

namespace zl::timing {

// Whether a call's work was done when its stream was idle.
struct EscapeAudit {
  int calls = 0;          // five alone, then three times many at once
  int escaped_alone = 0;  // of the five
  int escaped_many = 0;   // of the three
  double escaped_ns = 0;  // the longest time from the stream's end to the context's
  bool has_escaped() const { return escaped_alone >= 4 || escaped_many >= 3; }
};

// Calls some times and looks for work on other streams or threads: its time would be missing in any
// interval of this stream.
DeviceResult<EscapeAudit> audit_escape(Session const& session, DirectCalls const& calls,
                                       Handle stream);

}  // namespace zl::timing
