#include <numbers>

#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

// x times the normal distribution's share below x, by the error function.
template <class Sum, class In, class Out>
void plain_gelu(std::size_t count, In const* in, Out* out) {
  constexpr Sum kInverseRoot2 = std::numbers::sqrt2_v<Sum> / 2;
  for (std::size_t i = 0; i < count; ++i) {
    Sum const x = convert<Sum>(in[i]);
    out[i] = convert<Out>(x * (1 + std::erf(x * kInverseRoot2)) / 2);
  }
}

template <class T>
class GeluProblem final : public BufferProblem<T> {
 public:
  GeluProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(
            static_cast<std::size_t>(product(spec.dims)),
            function_tolerance(Facts<SumOf<T>>::kRoundoff) + storing_tolerance<SumOf<T>, T>()),
        in_(random_values<T>(static_cast<std::size_t>(product(spec.dims)), random)) {
    // [-4, 4): where the curve bends and where it has become straight.
    for (T& value : in_) value = convert<T>(convert<double>(value) * 4);
    auto const both = row_major(spec.dims, data_type<T>());
    primitive_.build(std::string(Facts<T>::kName) + " gelu", [&] {
      dnnl::eltwise_forward::desc const description(dnnl::prop_kind::forward_inference,
                                                    dnnl::algorithm::eltwise_gelu_erf, both, 0, 0);
      return dnnl::eltwise_forward({description, primitive_.engine()});
    });
    primitive_.add_argument(DNNL_ARG_SRC, both, in_.data());
    primitive_.add_argument(DNNL_ARG_DST, both, this->output(ZLBENCH_CANDIDATE));
  }

  void baseline() override {
    plain_gelu<SumOf<T>>(in_.size(), in_.data(), this->output(ZLBENCH_BASELINE));
  }
  void candidate() override { primitive_.run(); }

 protected:
  // On the left 1 + erf cancels down to nothing: the input's size is the measure.
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(in_.size());
    plain_gelu<double>(in_.size(), in_.data(), want.data());
    for (T const value : in_) scale.push_back(std::abs(convert<double>(value)));
  }

 private:
  Buffer<T> in_;
  Primitive primitive_;
};

struct Gelu {
  static constexpr char kName[] = "gelu";
  static constexpr char kDescription[] = "GELU by the error function, element by element";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 64}, {64, 256}, {128, 256}, {128, 512}};
    for (Dims const& dims : shapes) cases.push_back(make_case<float>(dims, 0, 8 * product(dims)));
    for (Dims const& dims : shapes) cases.push_back(make_case<Bf16>(dims, 0, 4 * product(dims)));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_BF16) return std::make_unique<GeluProblem<Bf16>>(spec, random);
    return std::make_unique<GeluProblem<float>>(spec, random);
  }
};

}  // namespace

zlbench_operator gelu() {
  return Glue<Gelu>::entry();
}

}  // namespace corpus::dnn
