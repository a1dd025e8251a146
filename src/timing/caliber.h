#pragma once

#include <string>

namespace zl::timing {

// How a number was taken: "timer/cache/offset/regime/vN". Numbers of different calibers are never
// set in a ratio.
struct Caliber {
  std::string timer;  // "graph-evt", "direct-blk", ...
  bool is_warm = false;
  bool is_clean = true;       // the flush left clean lines: it read, and did not write
  unsigned flush_factor = 2;  // the flush's size over the cache's
  bool is_net = true;         // the timer's own interval is subtracted
};

std::string to_text(Caliber const& caliber);

}  // namespace zl::timing
