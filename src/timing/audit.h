#pragma once

#include <algorithm>
#include <string>

#include "timing/direct_source.h"

namespace zl::timing {

// Whether a call's work was done when its stream was idle.
struct EscapeAudit {
  int alone = 0;  // single calls: three, or one where it is long
  int escaped_alone = 0;
  int together = 0;  // series of calls at once: one; none where a call is long
  int escaped_together = 0;
  double escaped_ns = 0;  // the longest time from the stream's end to the context's
  bool has_escaped() const {
    return escaped_alone >= std::max(1, alone - 1) ||
           (together > 0 && escaped_together == together);
  }
};

// Where the work went, for `fallback`; empty: it has not escaped.
std::string to_text(EscapeAudit const& audit);

// Calls some times and looks for work on other streams or threads: its time would be missing in any
// interval of this stream. What is found is looked for twice more, after a pause each, and the last
// audit counts: a host that was slow for a moment is not found again.
DeviceResult<EscapeAudit> audit_escape(Session const& session, DirectCalls const& calls,
                                       Handle stream);

}  // namespace zl::timing
