#include "cpu_dnn/operators.h"
#include "cpu_dnn/primitive.h"

namespace corpus::dnn {

namespace {

// Batch, channel, height, width to batch, height, width, channel.
template <class In, class Out>
void plain_reorder(Dims const& nchw, In const* in, Out* out) {
  auto const channels = nchw[1], pixels = nchw[2] * nchw[3];
  for (std::int64_t n = 0; n < nchw[0]; ++n) {
    In const* const from = in + n * channels * pixels;
    Out* const to = out + n * channels * pixels;
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t p = 0; p < pixels; ++p) {
        to[p * channels + c] = convert<Out>(from[c * pixels + p]);
      }
    }
  }
}

template <class T>
class ReorderProblem final : public BufferProblem<T> {
 public:
  ReorderProblem(CaseSpec const& spec, Random& random)
      : BufferProblem<T>(static_cast<std::size_t>(product(spec.dims)), 0),
        nchw_(spec.dims),
        in_(random_values<T>(static_cast<std::size_t>(product(spec.dims)), random)) {
    using Tag = dnnl::memory::format_tag;
    dnnl::memory::desc const from(nchw_, data_type<T>(), Tag::nchw);
    dnnl::memory::desc const to(nchw_, data_type<T>(), Tag::nhwc);
    primitive_.build(std::string(Facts<T>::kName) + " reorder", [&] {
      return dnnl::reorder({primitive_.engine(), from, primitive_.engine(), to});
    });
    primitive_.add_argument(DNNL_ARG_FROM, from, in_.data());
    primitive_.add_argument(DNNL_ARG_TO, to, this->output(ZLBENCH_CANDIDATE));
  }

  void baseline() override { plain_reorder(nchw_, in_.data(), this->output(ZLBENCH_BASELINE)); }
  void candidate() override { primitive_.run(); }

 protected:
  void reference(std::vector<double>& want, std::vector<double>& scale) const override {
    want.resize(in_.size());
    plain_reorder(nchw_, in_.data(), want.data());
    scale.assign(in_.size(), 1);
  }

 private:
  Dims nchw_;
  Buffer<T> in_;
  Primitive primitive_;
};

template <class T>
CaseSpec reorder_case(Dims const& dims) {
  return make_case<T>(dims, 0, 2 * sizeof(T) * product(dims));
}

struct Reorder {
  static constexpr char kName[] = "reorder";
  static constexpr char kDescription[] = "image batch from NCHW to NHWC, dims n c h w";

  static std::vector<CaseSpec> cases() {
    std::vector<CaseSpec> cases;
    Dims const shapes[] = {{1, 16, 32, 32}, {1, 64, 28, 28}, {4, 32, 30, 30}, {1, 96, 56, 56}};
    for (Dims const& dims : shapes) cases.push_back(reorder_case<float>(dims));
    for (Dims const& dims : shapes) cases.push_back(reorder_case<std::int8_t>(dims));
    return cases;
  }

  static std::unique_ptr<Problem> make(CaseSpec const& spec, Random& random) {
    if (spec.dtype == ZLBENCH_S8)
      return std::make_unique<ReorderProblem<std::int8_t>>(spec, random);
    return std::make_unique<ReorderProblem<float>>(spec, random);
  }
};

}  // namespace

zlbench_operator reorder() {
  return Glue<Reorder>::entry();
}

}  // namespace corpus::dnn
