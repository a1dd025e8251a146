#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"

namespace zl::results {

// ops_status.csv (RFC 4180; docs/event-log.md). The columns are an interface: append, never
// reorder.
inline constexpr std::string_view kStatusColumns =
    "op,node,status,reason,backend,device,timer,autotune,shapes,kernels,cvt,speedup,duration_s,"
    "attempts,run_dir";

// One row without its newline. Control characters become blanks, so that a row is always one line.
std::string status_row(OpResult const& result);

// What the rows of a file tell of each operator; rows that are cut short are left out.
struct StatusFacts {
  std::string op;
  std::string status;
  std::string backend;
  double duration_s = 0;
};
std::vector<StatusFacts> parse_status_rows(std::string_view text);

}  // namespace zl::results
