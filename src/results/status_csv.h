#pragma once

#include <string>
#include <string_view>

#include "results/record.h"

namespace zl::results {

// ops_status.csv (RFC 4180; docs/event-log.md). The columns are an interface: append, never
// reorder.
inline constexpr std::string_view kStatusColumns =
    "op,node,status,reason,backend,device,timer,autotune,shapes,kernels,cvt,speedup,duration_s,"
    "attempts,run_dir";

// One row without its newline. Control characters become blanks, so that a row is always one line.
std::string status_row(OpResult const& result);

}  // namespace zl::results
