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
  double median_ns = 0;
  bool is_split = false;  // the visits did not agree: the result is the middle one of three
};

// Samples of each visit, none empty. Visits that agree are pooled with equal weight each, however
// many samples they took.
CombinedVisits combine_visits(std::vector<std::vector<double>> const& visits,
                              VisitTolerance const& tolerance);

}  // namespace zl::timing
