#pragma once

#include <span>
#include <vector>

namespace zl::timing {

// Whether two visits to one shape disagree by more than the larger of 1 % and four times the usual
// change between runs (`tau`, a share; 0: not known). A third visit then decides.
bool do_visits_disagree(double first_ns, double second_ns, double tau);

struct CombinedVisits {
  double median_ns = 0;
  bool is_split = false;  // the visits did not agree: the result is the middle one of three
};

// Samples of each visit, none empty. Visits that agree are pooled with equal weight each, however
// many samples they took.
CombinedVisits combine_visits(std::vector<std::vector<double>> const& visits, double tau);

}  // namespace zl::timing
