#pragma once

#include <optional>
#include <string>

#include "timing/record.h"

namespace zl::timing {

// How much faster the candidate is than the baseline.
struct PairSummary {
  double speedup = 0;                // of the two medians
  std::optional<Interval> interval;  // 95 %; empty where neither pairs nor both intervals are there
  // Bursts of both sides that belong together. Below 4 the interval comes from the two medians'
  // intervals, as if the sides were independent.
  std::size_t pairs = 0;
};

// For sides of one caliber that were visited in turns: what slows one burst slows its neighbour of
// the other side too, and leaves their ratio. Bursts pair by their place in a visit, visits by
// their place among those that were not taken again. A pure function, as summarise(). Empty when a
// side has no summary, or no median above 0.
std::optional<PairSummary> summarise_pair(Record const& baseline, Record const& candidate);

// {"speedup", "speedup_low", "speedup_high", "pairs"}; the bounds only where they are known.
std::string to_json_line(PairSummary const& pair);

}  // namespace zl::timing
