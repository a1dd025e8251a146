#pragma once

#include <zlbench/operator.h>

// One source file an operator; each gives its entry in the library's table.
namespace corpus::blas {

zlbench_operator gemm();
zlbench_operator gemv();
zlbench_operator dot();
zlbench_operator transpose();

}  // namespace corpus::blas
