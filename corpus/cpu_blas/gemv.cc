#include <cblas.h>

#include "common/glue.h"
#include "cpu_blas/operators.h"

namespace corpus::blas {

namespace {

template <class Sum, class T>
void plain_gemv(std::int64_t m, std::int64_t n, T const* a, T const* x, Sum* y) {
  for (std::int64_t i = 0; i < m; ++i) {
    Sum sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += Sum{a[i * n + j]} * Sum{x[j]};
    y[i] = sum;
  }
}

template <class T>
class GemvProblem final : public BufferProblem<T> {
 public:
  GemvProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(static_cast<std::size_t>(spec.dims[0]),
                         sum_tolerance(static_cast<double>(spec.dims[1]), Facts<T>::kRoundoff)),
        m_(spec.dims[0]),
        n_(spec.dims[1]),
        a_(random_values<T>(static_cast<std::size_t>(m_ * n_), random)),
        x_(random_values<T>(static_cast<std::size_t>(n_), random)) {}

  void baseline() override {
    plain_gemv(m_, n_, a_.data(), x_.data(), this->output(ZLBENCH_BASELINE));
  }

  void candidate() override {
    auto const m = static_cast<blasint>(m_);
    auto const n = static_cast<blasint>(n_);
    T* const y = this->output(ZLBENCH_CANDIDATE);
    if constexpr (std::is_same_v<T, float>) {
      cblas_sgemv(CblasRowMajor, CblasNoTrans, m, n, 1, a_.data(), n, x_.data(), 1, 0, y, 1);
    } else {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, a_.data(), n, x_.data(), 1, 0, y, 1);
    }
  }

 protected:
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(static_cast<std::size_t>(m_));
    scale.resize(want.size());
    plain_gemv(m_, n_, a_.data(), x_.data(), want.data());
    Buffer<T> a = a_;
    Buffer<T> x = x_;
    for (T& value : a) value = std::abs(value);
    for (T& value : x) value = std::abs(value);
    plain_gemv(m_, n_, a.data(), x.data(), scale.data());
  }

 private:
  std::int64_t m_;
  std::int64_t n_;
  Buffer<T> a_;
  Buffer<T> x_;
};

template <class T>
CaseSpec gemv_case(Dims const& mn) {
  double const bytes = (product(mn) + static_cast<double>(mn[0] + mn[1])) * sizeof(T);
  return make_case<T>(mn, 2 * product(mn), bytes);
}

struct Gemv {
  static constexpr char kName[] = "gemv";
  static constexpr char kDescription[] = "matrix times vector, dims m n, row-major";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{256, 256}, {512, 512}, {1024, 1024}, {2048, 512}};
    for (Dims const& mn : shapes) cases.push_back(gemv_case<float>(mn));
    for (Dims const& mn : shapes) cases.push_back(gemv_case<double>(mn));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_F32) return std::make_unique<GemvProblem<float>>(spec, random);
    return std::make_unique<GemvProblem<double>>(spec, random);
  }
};

}  // namespace

zlbench_operator gemv() {
  return Glue<Gemv>::entry();
}

}  // namespace corpus::blas
