#include <cblas.h>

#include "common/glue.h"
#include "cpu_blas/operators.h"

namespace corpus::blas {

namespace {

template <class T>
class DotProblem final : public BufferProblem<T> {
 public:
  DotProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(1, sum_tolerance(static_cast<double>(spec.dims[0]), Facts<T>::kRoundoff)),
        x_(random_values<T>(static_cast<std::size_t>(spec.dims[0]), random)),
        y_(random_values<T>(x_.size(), random)) {}

  void baseline() override {
    T sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += x_[i] * y_[i];
    *this->output(ZLBENCH_BASELINE) = sum;
  }

  void candidate() override {
    auto const n = static_cast<blasint>(x_.size());
    if constexpr (std::is_same_v<T, float>) {
      *this->output(ZLBENCH_CANDIDATE) = cblas_sdot(n, x_.data(), 1, y_.data(), 1);
    } else {
      *this->output(ZLBENCH_CANDIDATE) = cblas_ddot(n, x_.data(), 1, y_.data(), 1);
    }
  }

 protected:
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.assign(1, 0);
    scale.assign(1, 0);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      double const term = double{x_[i]} * double{y_[i]};
      want[0] += term;
      scale[0] += std::abs(term);
    }
  }

 private:
  Buffer<T> x_;
  Buffer<T> y_;
};

template <class T>
CaseSpec dot_case(std::int64_t n) {
  auto const count = static_cast<double>(n);
  return make_case<T>({n}, 2 * count, 2 * count * sizeof(T));
}

struct Dot {
  static constexpr char kName[] = "dot";
  static constexpr char kDescription[] = "sum of the products of two vectors";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    std::int64_t const sizes[] = {1024, 16384, 131072, 1048576};
    for (std::int64_t const n : sizes) cases.push_back(dot_case<float>(n));
    for (std::int64_t const n : sizes) cases.push_back(dot_case<double>(n));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_F32) return std::make_unique<DotProblem<float>>(spec, random);
    return std::make_unique<DotProblem<double>>(spec, random);
  }
};

}  // namespace

zlbench_operator dot() {
  return Glue<Dot>::entry();
}

}  // namespace corpus::blas
