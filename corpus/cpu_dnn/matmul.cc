#include "common/matmul.h"

#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

template <class In, class Out>
class DnnMatmul final : public MatmulProblem<In, Out> {
 public:
  DnnMatmul(CaseSpec const& spec, Random& random) : MatmulProblem<In, Out>(spec, random) {
    auto const m = spec.dims[0], n = spec.dims[1], k = spec.dims[2];
    auto const a = row_major({m, k}, data_type<In>());
    auto const b = row_major({k, n}, data_type<In>());
    auto const c = row_major({m, n}, data_type<Out>());
    primitive_.build(std::string(Facts<In>::kName) + " matmul", [&] {
      dnnl::matmul::desc const description(a, b, c);
      return dnnl::matmul({description, primitive_.engine()});
    });
    primitive_.add_argument(DNNL_ARG_SRC, a, this->a_.data());
    primitive_.add_argument(DNNL_ARG_WEIGHTS, b, this->b_.data());
    primitive_.add_argument(DNNL_ARG_DST, c, this->output(ZLBENCH_CANDIDATE));
  }

  void candidate() override { primitive_.run(); }

 private:
  Primitive primitive_;
};

struct Matmul {
  static constexpr char kName[] = "matmul";
  static constexpr char kDescription[] = "matrix product, dims m n k, row-major; s8 gives s32";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{64, 64, 64}, {96, 96, 96}, {128, 128, 128}, {32, 256, 64}};
    for (Dims const& mnk : shapes) cases.push_back(matmul_case<float, float>(mnk));
    for (Dims const& mnk : shapes) cases.push_back(matmul_case<Bf16, Bf16>(mnk));
    for (Dims const& mnk : shapes) cases.push_back(matmul_case<std::int8_t, std::int32_t>(mnk));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    switch (spec.dtype) {
      case ZLBENCH_BF16:
        return std::make_unique<DnnMatmul<Bf16, Bf16>>(spec, random);
      case ZLBENCH_S8:
        return std::make_unique<DnnMatmul<std::int8_t, std::int32_t>>(spec, random);
      default:
        return std::make_unique<DnnMatmul<float, float>>(spec, random);
    }
  }
};

}  // namespace

zlbench_operator matmul() {
  return Glue<Matmul>::entry();
}

}  // namespace corpus::dnn
