#include <cblas.h>

#include "common/glue.h"
#include "cpu_blas/operators.h"

namespace corpus::blas {

namespace {

template <class T, class Out>
void plain_transpose(std::int64_t rows, std::int64_t columns, T const* in, Out* out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) out[j * rows + i] = in[i * columns + j];
  }
}

template <class T>
class TransposeProblem final : public BufferProblem<T> {
 public:
  TransposeProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(static_cast<std::size_t>(spec.dims[0] * spec.dims[1]), 0),
        rows_(spec.dims[0]),
        columns_(spec.dims[1]),
        in_(random_values<T>(static_cast<std::size_t>(rows_ * columns_), random)) {}

  void baseline() override {
    plain_transpose(rows_, columns_, in_.data(), this->output(ZLBENCH_BASELINE));
  }

  void candidate() override {
    auto const rows = static_cast<blasint>(rows_);
    auto const columns = static_cast<blasint>(columns_);
    T* const out = this->output(ZLBENCH_CANDIDATE);
    if constexpr (std::is_same_v<T, float>) {
      cblas_somatcopy(CblasRowMajor, CblasTrans, rows, columns, 1, in_.data(), columns, out, rows);
    } else {
      cblas_domatcopy(CblasRowMajor, CblasTrans, rows, columns, 1, in_.data(), columns, out, rows);
    }
  }

 protected:
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(in_.size());
    plain_transpose(rows_, columns_, in_.data(), want.data());
    scale.assign(in_.size(), 1);
  }

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  Buffer<T> in_;
};

struct Transpose {
  static constexpr char kName[] = "transpose";
  static constexpr char kDescription[] = "matrix transpose, dims rows columns, out of place";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 64}, {256, 256}, {500, 500}, {384, 1000}};
    for (Dims const& dims : shapes) cases.push_back(make_case<float>(dims, 0, 8 * product(dims)));
    for (Dims const& dims : shapes) cases.push_back(make_case<double>(dims, 0, 16 * product(dims)));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_F32) return std::make_unique<TransposeProblem<float>>(spec, random);
    return std::make_unique<TransposeProblem<double>>(spec, random);
  }
};

}  // namespace

zlbench_operator transpose() {
  return Glue<Transpose>::entry();
}

}  // namespace corpus::blas
