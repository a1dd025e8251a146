#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <zlbench/operator.h>

#include "common/problem.h"

namespace corpus {

using Dims = std::vector<std::int64_t>;

// A case as the corpus writes it; the C structure points into it.
struct CaseSpec {
  std::string name;
  std::uint32_t dtype = 0;
  Dims dims;
  double flops = 0;
  double bytes = 0;
};

// "f32_64x128".
template <class T>
CaseSpec make_case(Dims const& dims, double flops, double bytes) {
  std::string name = Facts<T>::kName;
  char separator = '_';
  for (std::int64_t const size : dims) {
    name += separator + std::to_string(size);
    separator = 'x';
  }
  return {name, Facts<T>::kCode, dims, flops, bytes};
}

inline double product(Dims const& dims) {
  double result = 1;
  for (std::int64_t const size : dims) result *= static_cast<double>(size);
  return result;
}

// The C functions of an operator. Op has static kName, kDescription, cases() and
// make(CaseSpec const&, Random&). Nothing thrown in the corpus passes these functions.
template <class Op>
struct Glue {
  static std::vector<CaseSpec> const& specs() {
    static std::vector<CaseSpec> const kSpecs = Op::cases();
    return kSpecs;
  }

  static int create(std::uint32_t index, std::uint64_t seed, void** state, char* error,
                    std::size_t error_size) {
    try {
      Random random(seed);
      std::unique_ptr<Problem> problem = Op::make(specs().at(index), random);
      *state = problem.release();
      return ZLBENCH_OK;
    } catch (Unsupported const& reason) {
      std::snprintf(error, error_size, "%s", reason.what());
      return ZLBENCH_UNSUPPORTED;
    } catch (std::exception const& reason) {
      std::snprintf(error, error_size, "%s", reason.what());
      return ZLBENCH_FAILED;
    }
  }

  template <class Work>
  static int guarded(void* state, Work work) {
    auto& problem = *static_cast<Problem*>(state);
    try {
      work(problem);
      return ZLBENCH_OK;
    } catch (std::exception const& thrown) {
      problem.reason = thrown.what();
      return ZLBENCH_FAILED;
    }
  }

  static int baseline(void* state) {
    return guarded(state, [](Problem& problem) { problem.baseline(); });
  }
  static int candidate(void* state) {
    return guarded(state, [](Problem& problem) { problem.candidate(); });
  }
  static int check(void* state, std::uint32_t side, zlbench_check* result) {
    return guarded(state, [&](Problem& problem) { problem.check(side, *result); });
  }
  static void destroy(void* state) { delete static_cast<Problem*>(state); }
  static char const* last_error(void* state) {
    return static_cast<Problem*>(state)->reason.c_str();
  }

  static zlbench_operator entry() {
    static std::vector<zlbench_case> const kCases = [] {
      std::vector<zlbench_case> cases;
      for (CaseSpec const& spec : specs()) {
        cases.push_back({spec.name.c_str(), nullptr, spec.dims.data(),
                         static_cast<std::uint32_t>(spec.dims.size()), spec.dtype, spec.flops,
                         spec.bytes});
      }
      return cases;
    }();
    return {Op::kName, Op::kDescription, kCases.data(), static_cast<std::uint32_t>(kCases.size()),
            0,         &create,          &baseline,     &candidate,
            &check,    &destroy,         &last_error};
  }
};

// The table of a whole library; a static of the function that exports it.
class Table {
 public:
  Table(char const* name, char const* version, std::string note,
        std::vector<zlbench_operator> operators)
      : note_(std::move(note)),
        operators_(std::move(operators)),
        library_{ZLBENCH_LIBRARY_HEADER,
                 name,
                 version,
                 note_.c_str(),
                 operators_.data(),
                 static_cast<std::uint32_t>(operators_.size()),
                 0} {}
  Table(Table const&) = delete;
  Table& operator=(Table const&) = delete;
  zlbench_library const* get() const { return &library_; }

 private:
  std::string note_;
  std::vector<zlbench_operator> operators_;
  zlbench_library library_;
};

}  // namespace corpus
