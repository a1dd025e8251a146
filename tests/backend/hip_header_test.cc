// HIP's table held against hip_runtime_api.h where there is one; most of it by the compiler.
#include <gtest/gtest.h>

#include "backend/same_shape.h"
#include "backend/vendors/runtime_level.h"
#ifdef ZL_HAS_HEADER
#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__  // overloads for C++, which no library exports
#include <hip/hip_runtime_api.h>
#endif

namespace zl::backend {
namespace {

#ifdef ZL_HAS_HEADER

#define ZL_CHECK_ROW(name, member, required)                                                 \
  static_assert(SameShape<decltype(RuntimeLevelApi::member), decltype(&::hip##name)>::value, \
                #member " has not the signature of hip" #name);
ZL_RUNTIME_LEVEL_ROWS(ZL_CHECK_ROW)
ZL_RUNTIME_LEVEL_ATTRIBUTE_ROWS(ZL_CHECK_ROW)
ZL_HIP_ROWS(ZL_CHECK_ROW)
#undef ZL_CHECK_ROW

static_assert(offsetof(HipKernelNode, block) == offsetof(hipKernelNodeParams, blockDim));
static_assert(offsetof(HipKernelNode, extra) == offsetof(hipKernelNodeParams, extra));
static_assert(offsetof(HipKernelNode, function) == offsetof(hipKernelNodeParams, func));
static_assert(offsetof(HipKernelNode, grid) == offsetof(hipKernelNodeParams, gridDim));
static_assert(offsetof(HipKernelNode, arguments) == offsetof(hipKernelNodeParams, kernelParams));
static_assert(offsetof(HipKernelNode, shared_bytes) ==
              offsetof(hipKernelNodeParams, sharedMemBytes));

static_assert(offsetof(HipMemsetNode, element_bytes) == offsetof(hipMemsetParams, elementSize));
static_assert(offsetof(HipMemsetNode, height) == offsetof(hipMemsetParams, height));
static_assert(offsetof(HipMemsetNode, pitch) == offsetof(hipMemsetParams, pitch));
static_assert(offsetof(HipMemsetNode, value) == offsetof(hipMemsetParams, value));
static_assert(offsetof(HipMemsetNode, width) == offsetof(hipMemsetParams, width));

static_assert(kHipCanWaitForValue == hipDeviceAttributeCanUseStreamWaitValue);
static_assert(kHipHostCoherent == hipHostMallocCoherent);
static_assert(kHipCopyToHost == hipMemcpyDeviceToHost);

TEST(HipHeader, HasTheFamilysNumbers) {
  DeviceRuntime runtime;
  for (RuntimeFamily const& family : runtime_families()) {
    if (family.name == "hip") runtime.family = &family;
  }
  ASSERT_NE(runtime.family, nullptr);
  EXPECT_EQ(runtime.family->multiprocessors_attribute, hipDeviceAttributeMultiprocessorCount);
  EXPECT_EQ(runtime.family->cache_attribute, hipDeviceAttributeL2CacheSize);
  EXPECT_EQ(runtime.classify(hipErrorNotReady), StatusClass::not_ready);
  EXPECT_EQ(runtime.classify(hipErrorStreamCaptureInvalidated), StatusClass::capture_only);
  EXPECT_EQ(runtime.classify(hipErrorNoBinaryForGpu), StatusClass::recoverable);
  EXPECT_EQ(runtime.classify(hipErrorIllegalAddress), StatusClass::sticky);
  EXPECT_EQ(runtime.classify(hipErrorPriorLaunchFailure), StatusClass::sticky);
  EXPECT_EQ(runtime.classify(hipErrorAssert), StatusClass::sticky);
}

#else

TEST(HipHeader, HasTheFamilysNumbers) {
  GTEST_SKIP() << "no hip/hip_runtime_api.h: the signatures are not checked";
}

#endif

}  // namespace
}  // namespace zl::backend
