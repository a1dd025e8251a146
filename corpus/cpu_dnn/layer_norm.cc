#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

constexpr float kEpsilon = 1e-5f;

// Each row to mean 0 and variance 1, then times `gain` plus `shift`, column by column.
template <class Sum, class In, class Out>
void plain_layer_norm(std::int64_t rows, std::int64_t columns, In const* in, float const* gain,
                      float const* shift, Out* out) {
  auto const count = static_cast<Sum>(columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    In const* const x = in + i * columns;
    Sum sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += convert<Sum>(x[j]);
    Sum const mean = sum / count;
    Sum squares = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      Sum const off = convert<Sum>(x[j]) - mean;
      squares += off * off;
    }
    Sum const inverse = 1 / std::sqrt(squares / count + Sum{kEpsilon});
    for (std::int64_t j = 0; j < columns; ++j) {
      Sum const normal = (convert<Sum>(x[j]) - mean) * inverse;
      out[i * columns + j] = convert<Out>(normal * Sum{gain[j]} + Sum{shift[j]});
    }
  }
}

template <class T>
class LayerNormProblem final : public BufferProblem<T> {
 public:
  LayerNormProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(static_cast<std::size_t>(spec.dims[0] * spec.dims[1]), tolerance(spec)),
        rows_(spec.dims[0]),
        columns_(spec.dims[1]),
        in_(random_values<T>(static_cast<std::size_t>(rows_ * columns_), random)),
        gain_(random_values<float>(static_cast<std::size_t>(columns_), random)),
        shift_(random_values<float>(static_cast<std::size_t>(columns_), random)) {
    auto const both = row_major(spec.dims, data_type<T>());
    auto const column = row_major({columns_}, data_type<float>());
    primitive_.build(std::string(Facts<T>::kName) + " layer_norm", [&] {
      auto const flags =
          dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
      dnnl::layer_normalization_forward::desc const description(dnnl::prop_kind::forward_inference,
                                                                both, kEpsilon, flags);
      return dnnl::layer_normalization_forward({description, primitive_.engine()});
    });
    primitive_.add_argument(DNNL_ARG_SRC, both, in_.data());
    primitive_.add_argument(DNNL_ARG_SCALE, column, gain_.data());
    primitive_.add_argument(DNNL_ARG_SHIFT, column, shift_.data());
    primitive_.add_argument(DNNL_ARG_DST, both, this->output(ZLBENCH_CANDIDATE));
  }

  void baseline() override {
    plain_layer_norm<SumOf<T>>(rows_, columns_, in_.data(), gain_.data(), shift_.data(),
                               this->output(ZLBENCH_BASELINE));
  }
  void candidate() override { primitive_.run(); }

 protected:
  // Inputs lie in [-1, 1) around 0, so a normalised one is at most about 2. Gain and shift may
  // cancel: what they contribute, plus 1 for the mean that was taken off, is the measure.
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(in_.size());
    scale.resize(in_.size());
    plain_layer_norm<double>(rows_, columns_, in_.data(), gain_.data(), shift_.data(), want.data());
    for (std::size_t i = 0; i < want.size(); ++i) {
      std::size_t const j = i % static_cast<std::size_t>(columns_);
      double const shift = shift_[j];
      scale[i] = std::abs(want[i] - shift) + std::abs(shift) + std::abs(double{gain_[j]});
    }
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
  Buffer<float> gain_;
  Buffer<float> shift_;
  Primitive primitive_;
};

template <class T>
CaseSpec layer_norm_case(Dims const& dims) {
  double const columns = static_cast<double>(dims[1]);
  return make_case<T>(dims, 0, 2 * sizeof(T) * product(dims) + 2 * sizeof(float) * columns);
}

struct LayerNorm {
  static constexpr char kName[] = "layer_norm";
  static constexpr char kDescription[] =
      "layer normalisation of each row with gain and shift, dims rows columns";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 256}, {128, 768}, {64, 1024}, {256, 1024}};
    for (Dims const& dims : shapes) cases.push_back(layer_norm_case<float>(dims));
    for (Dims const& dims : shapes) cases.push_back(layer_norm_case<Bf16>(dims));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_BF16) return std::make_unique<LayerNormProblem<Bf16>>(spec, random);
    return std::make_unique<LayerNormProblem<float>>(spec, random);
  }
};

}  // namespace

zlbench_operator layer_norm() {
  return Glue<LayerNorm>::entry();
}

}  // namespace corpus::dnn
