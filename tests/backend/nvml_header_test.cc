// NVML's table held against its header where there is one; most of it by the compiler.
#include <gtest/gtest.h>

#include "backend/same_shape.h"
#include "backend/vendors/nvml_api.h"
#ifdef ZL_HAS_HEADER
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // old functions as well: libraries export them still
#include <nvml.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // all drivers export them still
#endif

namespace zl::backend {
namespace {

#ifdef ZL_HAS_HEADER

using namespace nvml;

#define ZL_CHECK_ROW(symbol, older, member, required)                         \
  static_assert(SameShape<decltype(Api::member), decltype(&::symbol)>::value, \
                #member " has not the signature of " #symbol);
ZL_NVML_ROWS(ZL_CHECK_ROW)
#undef ZL_CHECK_ROW

static_assert(sizeof(PciInfo) == sizeof(nvmlPciInfo_t));
static_assert(offsetof(PciInfo, bus_id) == offsetof(nvmlPciInfo_t, busId));
static_assert(sizeof(Memory) == sizeof(nvmlMemory_t));
static_assert(offsetof(Memory, free) == offsetof(nvmlMemory_t, free));
static_assert(sizeof(ProcessInfo) == sizeof(nvmlProcessInfo_v1_t));
static_assert(offsetof(ProcessInfo, used_bytes) == offsetof(nvmlProcessInfo_t, usedGpuMemory));
static_assert(sizeof(nvmlProcessInfo_t) == 24);

TEST(NvmlHeader, HasTheNumbers) {
  EXPECT_EQ(kNoPermission, NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(kDeviceIsLost, NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(kNeedsReset, NVML_ERROR_RESET_REQUIRED);
  EXPECT_EQ(kCoreClock, NVML_CLOCK_SM);
  EXPECT_EQ(kMemoryClock, NVML_CLOCK_MEM);
  EXPECT_EQ(kDeviceSensor, NVML_TEMPERATURE_GPU);
  EXPECT_EQ(kUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
  EXPECT_EQ(kSinceDriverStart, NVML_VOLATILE_ECC);
  EXPECT_EQ(kClockReasons[2].bit, nvmlClocksEventReasonSwPowerCap);
  EXPECT_EQ(kClockReasons[8].bit, nvmlClocksEventReasonDisplayClockSetting);
}

#else

TEST(NvmlHeader, HasTheNumbers) {
  GTEST_SKIP() << "no nvml.h: the signatures are not checked";
}

#endif

}  // namespace
}  // namespace zl::backend
