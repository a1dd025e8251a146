#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlbench/operator.h>

#include "common/values.h"

namespace corpus {

// Thrown while a case is made: this machine cannot run it.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A case that is ready to run. Functions may throw; the glue turns that into a status and a text.
class Problem {
 public:
  Problem() = default;
  Problem(Problem const&) = delete;
  Problem& operator=(Problem const&) = delete;
  virtual ~Problem() = default;
  virtual void baseline() = 0;
  virtual void candidate() = 0;
  virtual void check(std::uint32_t side, zlbench_check& result) = 0;

  std::string reason;  // of the last call that threw
};

// Tolerances, all relative to the scale that reference() gives. u is the largest relative error of
// one rounding (Facts::kRoundoff).
//
// A sum of n terms: the errors of n roundings add up like a random walk; 8 sqrt(n) u is passed with
// a probability below 1e-13 (Higham and Mary, 2019, "A new approach to probabilistic rounding error
// analysis", with lambda = 8), relative to the sum of the terms' magnitudes. One term too few of n
// costs about 1/n, far more than that up to a million terms in f32.
inline double sum_tolerance(double terms, double roundoff) {
  return 8 * std::sqrt(terms) * roundoff;
}
// exp, erf and reciprocal square roots in vector libraries are good to a few units in the last
// place, and the rounding of their argument comes on top.
inline double function_tolerance(double roundoff) {
  return 32 * roundoff;
}
// Where a result is computed in Sum and then stored in a shorter Out, that rounding comes on top.
template <class Sum, class Out>
constexpr double storing_tolerance() {
  return std::is_same_v<Sum, Out> ? 0 : Facts<Out>::kRoundoff;
}

// A problem whose sides each write one buffer of the same form; the reference is computed once.
template <class Out>
class BufferProblem : public Problem {
 public:
  void check(std::uint32_t side, zlbench_check& result) final {
    if (want_.empty()) reference(want_, scale_);
    for (std::size_t i = 0; i < want_.size(); ++i) {
      double const error = std::abs(convert<double>(outputs_[side][i]) - want_[i]);
      // Zero is right even where the scale is zero; NaN stays the largest.
      double const relative = error == 0 ? 0 : error / scale_[i];
      if (!(error <= result.max_abs_error)) result.max_abs_error = error;
      if (!(relative <= result.max_rel_error)) result.max_rel_error = relative;
      if (std::isnan(relative)) break;
    }
    result.tolerance = tolerance_;
    result.passed = result.max_rel_error <= tolerance_ ? 1 : 0;
  }

 protected:
  BufferProblem(std::size_t count, double tolerance)
      : outputs_{Buffer<Out>(count), Buffer<Out>(count)}, tolerance_(tolerance) {}

  // Fills the expected output, from the inputs in float64, and the size that each element's error
  // is measured against.
  virtual void reference(std::vector<double>& want, std::vector<double>& scale) const = 0;

  Out* output(zlbench_side side) { return outputs_[side].data(); }

 private:
  std::array<Buffer<Out>, 2> outputs_;
  double tolerance_;
  std::vector<double> want_;
  std::vector<double> scale_;
};

}  // namespace corpus
