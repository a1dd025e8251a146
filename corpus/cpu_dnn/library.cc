#include <dnnl.h>
#include <string>

#include "common/glue.h"
#include "cpu_dnn/operators.h"

namespace {

std::string note() {
  dnnl_version_t const* const version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch) + ", 1 thread; baseline: plain loops at -O2";
}

}  // namespace

zlbench_library const* zlbench_operators(void) {
  using namespace corpus;
  static Table const table("cpu_dnn", CORPUS_VERSION, note(),
                           {dnn::matmul(), dnn::softmax(), dnn::layer_norm(), dnn::add(),
                            dnn::gelu(), dnn::sum(), dnn::reorder()});
  return table.get();
}
