#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

template <class Sum, class In, class Out>
void plain_sum(std::int64_t rows, std::int64_t columns, In const* in, Out* out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    Sum sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += convert<Sum>(in[i * columns + j]);
    out[i] = convert<Out>(sum);
  }
}

template <class In, class Out>
class SumProblem final : public BufferProblem<Out> {
 public:
  SumProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<Out>(static_cast<std::size_t>(spec.dims[0]), tolerance(spec)),
        rows_(spec.dims[0]),
        columns_(spec.dims[1]),
        in_(random_values<In>(static_cast<std::size_t>(rows_ * columns_), random)) {
    auto const from = row_major(spec.dims, data_type<In>());
    auto const to = row_major({rows_, 1}, data_type<Out>());
    primitive_.build(std::string(Facts<In>::kName) + " sum", [&] {
      dnnl::reduction::desc const description(dnnl::algorithm::reduction_sum, from, to, 0, 0);
      return dnnl::reduction({description, primitive_.engine()});
    });
    primitive_.add_argument(DNNL_ARG_SRC, from, in_.data());
    primitive_.add_argument(DNNL_ARG_DST, to, this->output(ZLBENCH_CANDIDATE));
  }

  void baseline() override {
    plain_sum<SumOf<In>>(rows_, columns_, in_.data(), this->output(ZLBENCH_BASELINE));
  }
  void candidate() override { primitive_.run(); }

 protected:
  // The sum of the magnitudes is the measure: the sum itself may cancel out.
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(static_cast<std::size_t>(rows_));
    scale.resize(want.size());
    plain_sum<double>(rows_, columns_, in_.data(), want.data());
    std::vector<double> magnitudes;
    for (In const value : in_) magnitudes.push_back(std::abs(convert<double>(value)));
    plain_sum<double>(rows_, columns_, magnitudes.data(), scale.data());
  }

 private:
  static double tolerance(CaseSpec const& spec) {
    // oneDNN sums whole numbers in f32, and these stay exact: 4,096 * 63 is far below 2^24.
    return sum_tolerance(static_cast<double>(spec.dims[1]), Facts<SumOf<In>>::kRoundoff) +
           storing_tolerance<SumOf<In>, Out>();
  }

  std::int64_t rows_;
  std::int64_t columns_;
  Buffer<In> in_;
  Primitive primitive_;
};

template <class In, class Out>
CaseSpec sum_case(Dims const& dims) {
  double const bytes = sizeof(In) * product(dims) + sizeof(Out) * static_cast<double>(dims[0]);
  return make_case<In>(dims, product(dims), bytes);
}

struct SumRows {
  static constexpr char kName[] = "sum";
  static constexpr char kDescription[] = "sum of each row, dims rows columns; s8 gives s32";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 256}, {256, 256}, {128, 4096}, {1024, 1024}};
    for (Dims const& dims : shapes) cases.push_back(sum_case<float, float>(dims));
    for (Dims const& dims : shapes) cases.push_back(sum_case<Bf16, Bf16>(dims));
    for (Dims const& dims : shapes) cases.push_back(sum_case<std::int8_t, std::int32_t>(dims));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    switch (spec.dtype) {
      case ZLBENCH_BF16:
        return std::make_unique<SumProblem<Bf16, Bf16>>(spec, random);
      case ZLBENCH_S8:
        return std::make_unique<SumProblem<std::int8_t, std::int32_t>>(spec, random);
      default:
        return std::make_unique<SumProblem<float, float>>(spec, random);
    }
  }
};

}  // namespace

zlbench_operator sum() {
  return Glue<SumRows>::entry();
}

}  // namespace corpus::dnn
