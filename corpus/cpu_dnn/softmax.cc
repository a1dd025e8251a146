#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

// Along the rows; the largest element is taken off first, so that no exponential overflows.
template <class Sum, class In, class Out>
void plain_softmax(std::int64_t rows, std::int64_t columns, In const* in, Out* out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    In const* const x = in + i * columns;
    Out* const y = out + i * columns;
    Sum largest = convert<Sum>(x[0]);
    for (std::int64_t j = 1; j < columns; ++j) largest = std::max(largest, convert<Sum>(x[j]));
    Sum sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += std::exp(convert<Sum>(x[j]) - largest);
    for (std::int64_t j = 0; j < columns; ++j) {
      y[j] = convert<Out>(std::exp(convert<Sum>(x[j]) - largest) / sum);
    }
  }
}

template <class T>
class SoftmaxProblem final : public BufferProblem<T> {
 public:
  SoftmaxProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(static_cast<std::size_t>(spec.dims[0] * spec.dims[1]), tolerance(spec)),
        rows_(spec.dims[0]),
        columns_(spec.dims[1]),
        in_(random_values<T>(static_cast<std::size_t>(rows_ * columns_), random)) {
    auto const both = row_major(spec.dims, data_type<T>());
    primitive_.build(std::string(Facts<T>::kName) + " softmax", [&] {
      dnnl::softmax_v2_forward::desc const description(
          dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, both, both, 1);
      return dnnl::softmax_v2_forward({description, primitive_.engine()});
    });
    primitive_.add_argument(DNNL_ARG_SRC, both, in_.data());
    primitive_.add_argument(DNNL_ARG_DST, both, this->output(ZLBENCH_CANDIDATE));
  }

  void baseline() override {
    plain_softmax<SumOf<T>>(rows_, columns_, in_.data(), this->output(ZLBENCH_BASELINE));
  }
  void candidate() override { primitive_.run(); }

 protected:
  // Every term is positive: an output's own size is the measure.
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(in_.size());
    plain_softmax<double>(rows_, columns_, in_.data(), want.data());
    scale = want;
  }

 private:
  static double tolerance(CaseSpec const& spec) {
    constexpr double kRoundoff = Facts<SumOf<T>>::kRoundoff;
    return sum_tolerance(static_cast<double>(spec.dims[1]), kRoundoff) +
           function_tolerance(kRoundoff) + storing_tolerance<SumOf<T>, T>();
  }

  std::int64_t rows_;
  std::int64_t columns_;
  Buffer<T> in_;
  Primitive primitive_;
};

struct Softmax {
  static constexpr char kName[] = "softmax";
  static constexpr char kDescription[] = "softmax of each row, dims rows columns";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{32, 128}, {64, 512}, {128, 1024}, {16, 4096}};
    for (Dims const& dims : shapes) cases.push_back(make_case<float>(dims, 0, 8 * product(dims)));
    for (Dims const& dims : shapes) cases.push_back(make_case<Bf16>(dims, 0, 4 * product(dims)));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_BF16) return std::make_unique<SoftmaxProblem<Bf16>>(spec, random);
    return std::make_unique<SoftmaxProblem<float>>(spec, random);
  }
};

}  // namespace

zlbench_operator softmax() {
  return Glue<Softmax>::entry();
}

}  // namespace corpus::dnn
