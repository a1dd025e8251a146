// rocm_smi's table held against its header where there is one; most of it by the compiler.
#include <gtest/gtest.h>

#include "backend/same_shape.h"
#include "backend/vendors/rocm_smi_api.h"
#ifdef ZL_HAS_HEADER
#include <rocm_smi/rocm_smi.h>
#endif

namespace zl::backend {
namespace {

#ifdef ZL_HAS_HEADER

using namespace rocm_smi;

#define ZL_CHECK_ROW(symbol, member, required)                                \
  static_assert(SameShape<decltype(Api::member), decltype(&::symbol)>::value, \
                #member " has not the signature of " #symbol);
ZL_ROCM_SMI_ROWS(ZL_CHECK_ROW)
#undef ZL_CHECK_ROW

static_assert(sizeof(Process) == sizeof(rsmi_process_info_t));
static_assert(offsetof(Process, memory_bytes) == offsetof(rsmi_process_info_t, vram_usage));
static_assert(offsetof(ErrorCount, uncorrected) == offsetof(rsmi_error_count_t, uncorrectable_err));

TEST(RocmSmiHeader, HasTheNumbers) {
  EXPECT_EQ(kSuccess, RSMI_STATUS_SUCCESS);
  EXPECT_EQ(kDriver, RSMI_SW_COMP_DRIVER);
  EXPECT_EQ(kDeviceMemory, RSMI_MEM_TYPE_VRAM);
  EXPECT_EQ(kCurrent, RSMI_TEMP_CURRENT);
  EXPECT_EQ(kEdge, RSMI_TEMP_TYPE_EDGE);
  EXPECT_EQ(kMemoryBlock, RSMI_GPU_BLOCK_UMC);
}

#else

TEST(RocmSmiHeader, HasTheNumbers) {
  GTEST_SKIP() << "no rocm_smi/rocm_smi.h: the signatures are not checked";
}

#endif

}  // namespace
}  // namespace zl::backend
