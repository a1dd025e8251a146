#pragma once

#include "common/glue.h"

namespace corpus {

// Plain loops in the order that reads both matrices along their rows. All row-major:
// c (m x n) = a (m x k) * b (k x n), summed in Sum.
template <class Sum, class In, class Out>
void plain_matmul(Dims const& mnk, In const* a, In const* b, Out* c, std::vector<Sum>& row) {
  auto const m = mnk[0], n = mnk[1], k = mnk[2];
  row.resize(static_cast<std::size_t>(n));
  Sum* const sums = row.data();
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) sums[j] = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      Sum const factor = convert<Sum>(a[i * k + l]);
      for (std::int64_t j = 0; j < n; ++j) sums[j] += factor * convert<Sum>(b[l * n + j]);
    }
    for (std::int64_t j = 0; j < n; ++j) c[i * n + j] = convert<Out>(sums[j]);
  }
}

template <class In, class Out>
CaseSpec matmul_case(Dims const& mnk) {
  double const flops = 2 * product(mnk);
  double const inputs = static_cast<double>(mnk[0] * mnk[2] + mnk[2] * mnk[1]) * sizeof(In);
  return make_case<In>(mnk, flops, inputs + static_cast<double>(mnk[0] * mnk[1]) * sizeof(Out));
}

// All but the candidate. The scale of an element is the sum of |a| |b|: its sum may cancel out.
template <class In, class Out>
class MatmulProblem : public BufferProblem<Out> {
 public:
  MatmulProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<Out>(
            static_cast<std::size_t>(spec.dims[0] * spec.dims[1]),
            sum_tolerance(static_cast<double>(spec.dims[2]), Facts<SumOf<In>>::kRoundoff) +
                storing_tolerance<SumOf<In>, Out>()),
        mnk_(spec.dims),
        a_(random_values<In>(static_cast<std::size_t>(mnk_[0] * mnk_[2]), random)),
        b_(random_values<In>(static_cast<std::size_t>(mnk_[2] * mnk_[1]), random)) {}

  void baseline() final {
    plain_matmul<SumOf<In>>(mnk_, a_.data(), b_.data(), this->output(ZLBENCH_BASELINE), row_);
  }

 protected:
  void reference(std::vector<double>& want, std::vector<double>& scale) const final {
    std::vector<double> a, b, row;
    for (In const value : a_) a.push_back(convert<double>(value));
    for (In const value : b_) b.push_back(convert<double>(value));
    want.resize(static_cast<std::size_t>(mnk_[0] * mnk_[1]));
    scale.resize(want.size());
    plain_matmul<double>(mnk_, a.data(), b.data(), want.data(), row);
    for (double& value : a) value = std::abs(value);
    for (double& value : b) value = std::abs(value);
    plain_matmul<double>(mnk_, a.data(), b.data(), scale.data(), row);
  }

  Dims mnk_;
  Buffer<In> a_;
  Buffer<In> b_;

 private:
  std::vector<SumOf<In>> row_;
};

}  // namespace corpus
