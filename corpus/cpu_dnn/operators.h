#pragma once

#include <zlbench/operator.h>

// One source file an operator; each gives its entry in the library's table.
namespace corpus::dnn {

zlbench_operator matmul();
zlbench_operator softmax();
zlbench_operator layer_norm();
zlbench_operator add();
zlbench_operator gelu();
zlbench_operator sum();
zlbench_operator reorder();

}  // namespace corpus::dnn
