#pragma once

#include <dnnl.hpp>
#include <omp.h>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/glue.h"

// As in omp.h, which a compiler brings for its own runtime only; libdnnl runs on GNU's.
extern "C" void omp_set_num_threads(int count);

namespace corpus::dnn {

template <class T>
constexpr dnnl::memory::data_type data_type() {
  using Type = dnnl::memory::data_type;
  if constexpr (std::is_same_v<T, float>) return Type::f32;
  if constexpr (std::is_same_v<T, Bf16>) return Type::bf16;
  if constexpr (std::is_same_v<T, std::int8_t>) return Type::s8;
  if constexpr (std::is_same_v<T, std::int32_t>) return Type::s32;
}

// One oneDNN primitive with its memory, on one thread of this CPU.
class Primitive {
 public:
  Primitive() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    // As the plain loops. Set here and not once: the number belongs to the thread that calls.
    omp_set_num_threads(1);
  }

  dnnl::engine const& engine() const { return engine_; }

  // `make` builds the primitive; that oneDNN has none for this type on this CPU skips the case.
  template <class Make>
  void build(std::string const& what, Make make) {
    try {
      primitive_ = make();
    } catch (dnnl::error const& error) {
      if (error.status != dnnl_unimplemented) throw;
      throw Unsupported("oneDNN has no " + what + " for this CPU");
    }
  }

  void add_argument(int index, dnnl::memory::desc const& description, void const* data) {
    // oneDNN takes inputs and outputs alike as void*; it does not write to inputs.
    arguments_.emplace(index, dnnl::memory(description, engine_, const_cast<void*>(data)));
  }

  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

inline dnnl::memory::desc row_major(Dims const& dims, dnnl::memory::data_type type) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return {dims, type, strides};
}

}  // namespace corpus::dnn
