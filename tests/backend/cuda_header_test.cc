// The shared table held against cuda.h where there is one; most of it by the compiler.
#include <gtest/gtest.h>

#include "backend/runtime.h"
#include "backend/runtime_rows.h"
#include "backend/same_shape.h"
#include "backend/vendors/runtime_level.h"
#ifdef ZL_HAS_HEADER
#define __CUDA_API_VERSION_INTERNAL  // old functions as well: libraries export them still
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif

// Older headers lack functions that the table has: the library is asked for those at run time.
#if defined(ZL_HAS_HEADER) && CUDA_VERSION >= 13000
#define ZL_HAS_CUDA_13
#endif

namespace zl::backend {
namespace {

#ifdef ZL_HAS_CUDA_13

#define ZL_CHECK_ROW(name, older, member, required)                                  \
  static_assert(SameShape<decltype(RuntimeApi::member), decltype(&cu##name)>::value, \
                #member " has not the signature of cu" #name);
ZL_RUNTIME_ROWS(ZL_CHECK_ROW)
#undef ZL_CHECK_ROW

// What the makers of compatible runtime libraries copied.
#define ZL_CHECK_ROW(name, member, required)                                                  \
  static_assert(SameShape<decltype(RuntimeLevelApi::member), decltype(&::cuda##name)>::value, \
                #member " has not the signature of cuda" #name);
ZL_RUNTIME_LEVEL_ROWS(ZL_CHECK_ROW)
ZL_RUNTIME_LEVEL_ATTRIBUTE_ROWS(ZL_CHECK_ROW)
#undef ZL_CHECK_ROW
static_assert(kHipCopyToHost == cudaMemcpyDeviceToHost);

static_assert(offsetof(KernelNode, function) == offsetof(CUDA_KERNEL_NODE_PARAMS, func));
static_assert(offsetof(KernelNode, grid) == offsetof(CUDA_KERNEL_NODE_PARAMS, gridDimX));
static_assert(offsetof(KernelNode, block) == offsetof(CUDA_KERNEL_NODE_PARAMS, blockDimX));
static_assert(offsetof(KernelNode, shared_bytes) ==
              offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes));
static_assert(offsetof(KernelNode, arguments) == offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams));
static_assert(offsetof(KernelNode, context) == offsetof(CUDA_KERNEL_NODE_PARAMS, ctx));
static_assert(offsetof(MemsetNode, element_bytes) ==
              offsetof(CUDA_MEMSET_NODE_PARAMS, elementSize));
static_assert(offsetof(MemsetNode, width) == offsetof(CUDA_MEMSET_NODE_PARAMS, width));
static_assert(offsetof(MemsetNode, height) == offsetof(CUDA_MEMSET_NODE_PARAMS, height));

TEST(CudaHeader, HasTheFamilysNumbers) {
  RuntimeFamily const& family = runtime_families().front();
  EXPECT_EQ(family.multiprocessors_attribute, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(family.cache_attribute, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  DeviceRuntime runtime;
  runtime.family = &family;
  EXPECT_EQ(runtime.classify(CUDA_ERROR_NOT_READY), StatusClass::not_ready);
  EXPECT_EQ(runtime.classify(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED), StatusClass::capture_only);
  EXPECT_EQ(runtime.classify(CUDA_ERROR_OUT_OF_MEMORY), StatusClass::recoverable);
  EXPECT_EQ(runtime.classify(CUDA_ERROR_ILLEGAL_ADDRESS), StatusClass::sticky);
  EXPECT_EQ(runtime.classify(CUDA_ERROR_LAUNCH_FAILED), StatusClass::sticky);
}

#else

TEST(CudaHeader, HasTheFamilysNumbers) {
  GTEST_SKIP() << "no cuda.h of CUDA 13 or later: the signatures are not checked";
}

#endif

}  // namespace
}  // namespace zl::backend
