#include <cblas.h>

#include "common/matmul.h"
#include "cpu_blas/operators.h"

namespace corpus::blas {

namespace {

template <class T>
class GemmProblem final : public MatmulProblem<T, T> {
 public:
  using MatmulProblem<T, T>::MatmulProblem;

  void candidate() override {
    auto const m = static_cast<blasint>(this->mnk_[0]);
    auto const n = static_cast<blasint>(this->mnk_[1]);
    auto const k = static_cast<blasint>(this->mnk_[2]);
    T const* const a = this->a_.data();
    T const* const b = this->b_.data();
    T* const c = this->output(ZLBENCH_CANDIDATE);
    if constexpr (std::is_same_v<T, float>) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
    } else {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
    }
  }
};

struct Gemm {
  static constexpr char kName[] = "gemm";
  static constexpr char kDescription[] = "matrix product, dims m n k, row-major";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 64, 64}, {96, 96, 96}, {128, 128, 128}, {32, 256, 64}};
    for (Dims const& mnk : shapes) cases.push_back(matmul_case<float, float>(mnk));
    for (Dims const& mnk : shapes) cases.push_back(matmul_case<double, double>(mnk));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_F32) return std::make_unique<GemmProblem<float>>(spec, random);
    return std::make_unique<GemmProblem<double>>(spec, random);
  }
};

}  // namespace

zlbench_operator gemm() {
  return Glue<Gemm>::entry();
}

}  // namespace corpus::blas
