#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

template <class T>
class AddProblem final : public BufferProblem<T> {
 public:
  AddProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(static_cast<std::size_t>(product(spec.dims)), tolerance()),
        a_(random_values<T>(static_cast<std::size_t>(product(spec.dims)), random)),
        b_(random_values<T>(a_.size(), random)) {
    auto const all = row_major(spec.dims, data_type<T>());
    primitive_.build(std::string(Facts<T>::kName) + " add", [&] {
      dnnl::binary::desc const description(dnnl::algorithm::binary_add, all, all, all);
      return dnnl::binary({description, primitive_.engine()});
    });
    primitive_.add_argument(DNNL_ARG_SRC_0, all, a_.data());
    primitive_.add_argument(DNNL_ARG_SRC_1, all, b_.data());
    primitive_.add_argument(DNNL_ARG_DST, all, this->output(ZLBENCH_CANDIDATE));
  }

  void baseline() override {
    using Sum = SumOf<T>;
    T* const out = this->output(ZLBENCH_BASELINE);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      out[i] = convert<T>(convert<Sum>(a_[i]) + convert<Sum>(b_[i]));
    }
  }
  void candidate() override { primitive_.run(); }

 protected:
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      double const a = convert<double>(a_[i]);
      double const b = convert<double>(b_[i]);
      want.push_back(a + b);
      scale.push_back(std::abs(a) + std::abs(b));
    }
  }

 private:
  // One sum, and one rounding where it is stored in a shorter type; whole numbers are exact.
  static double tolerance() {
    return Facts<SumOf<T>>::kRoundoff + storing_tolerance<SumOf<T>, T>();
  }

  Buffer<T> a_;
  Buffer<T> b_;
  Primitive primitive_;
};

template <class T>
CaseSpec add_case(Dims const& dims) {
  return make_case<T>(dims, product(dims), 3 * sizeof(T) * product(dims));
}

struct Add {
  static constexpr char kName[] = "add";
  static constexpr char kDescription[] = "sum of two tensors, element by element";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 64}, {256, 256}, {512, 512}, {1024, 1024}};
    for (Dims const& dims : shapes) cases.push_back(add_case<float>(dims));
    for (Dims const& dims : shapes) cases.push_back(add_case<Bf16>(dims));
    for (Dims const& dims : shapes) cases.push_back(add_case<std::int8_t>(dims));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    switch (spec.dtype) {
      case ZLBENCH_BF16:
        return std::make_unique<AddProblem<Bf16>>(spec, random);
      case ZLBENCH_S8:
        return std::make_unique<AddProblem<std::int8_t>>(spec, random);
      default:
        return std::make_unique<AddProblem<float>>(spec, random);
    }
  }
};

}  // namespace

zlbench_operator add() {
  return Glue<Add>::entry();
}

}  // namespace corpus::dnn
