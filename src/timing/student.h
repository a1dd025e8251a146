#pragma once

namespace zl::timing {

// Student's t distribution. `degrees` of freedom: > 0.
double student_cdf(double t, double degrees);
// The t below which a share `probability` (0 to 1, both excluded) lies.
double student_quantile(double probability, double degrees);

}  // namespace zl::timing
