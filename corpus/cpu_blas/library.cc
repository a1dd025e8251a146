#include <cblas.h>
#include <string>

#include "common/glue.h"
#include "cpu_blas/operators.h"

namespace {

std::string note() {
  // "OpenBLAS 0.3.21 DYNAMIC_ARCH ...": the first two words.
  std::string const config = openblas_get_config();
  return config.substr(0, config.find(' ', config.find(' ') + 1)) + ", " + openblas_get_corename() +
         " kernels, 1 thread; baseline: plain loops at -O2";
}

}  // namespace

zlbench_library const* zlbench_operators(void) {
  using namespace corpus;
  static Table const table = [] {
    // The plain loops run on one thread; with more, the speed-up would depend on what else runs
    // here.
    openblas_set_num_threads(1);
    return Table("cpu_blas", CORPUS_VERSION, note(),
                 {blas::gemm(), blas::gemv(), blas::dot(), blas::transpose()});
  }();
  return table.get();
}
