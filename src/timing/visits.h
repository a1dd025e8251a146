#pragma once

#include <span>
#include <vector>

namespace zl::timing {

// How much of a difference between two visits to one shape is no evidence of one.
struct VisitTolerance {
  double tau = 0;       // the usual change between runs, a share; 0: not known
  double floor_ns = 0;  // what the clock's tick makes of nothing
};

// Whether they disagree by more than the floor, and by more than the larger of 1 % and four times
// tau. A third visit then decides.
bool do_visits_disagree(double first_ns, double second_ns, VisitTolerance const& tolerance);

struct CombinedVisits {
  double value_ns = 0;
  bool is_split = false;  // the visits did not agree
};

// The quantile `share` of the samples of each visit, none empty. Visits that agree are pooled with
// equal weight each, however many samples they took; of those that do not, it is the same quantile
// of their values: the middle one of three for the median, next to the least for a low one.
CombinedVisits combine_visits(std::vector<std::vector<double>> const& visits, double share,
                              VisitTolerance const& tolerance);

}  // namespace zl::timing
