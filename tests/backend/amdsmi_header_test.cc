// amdsmi's table held against its header where there is one; most of it by the compiler.
#include <gtest/gtest.h>

#include "backend/same_shape.h"
#include "backend/vendors/amdsmi_api.h"
#ifdef ZL_HAS_HEADER
#include <amd_smi/amdsmi.h>
#endif

namespace zl::backend {
namespace {

#ifdef ZL_HAS_HEADER

using namespace amdsmi;

#define ZL_CHECK_ROW(symbol, member, required)                                \
  static_assert(SameShape<decltype(Api::member), decltype(&::symbol)>::value, \
                #member " has not the signature of " #symbol);
ZL_AMDSMI_ROWS(ZL_CHECK_ROW)
#undef ZL_CHECK_ROW

static_assert(kClockNow == offsetof(amdsmi_clk_info_t, clk));
static_assert(kClockMax == offsetof(amdsmi_clk_info_t, max_clk));
static_assert(kUncorrected == offsetof(amdsmi_error_count_t, uncorrectable_count));
static_assert(kNode == offsetof(amdsmi_kfd_info_t, node_id));
static_assert(offsetof(amdsmi_asic_info_t, market_name) == 0);

TEST(AmdsmiHeader, HasTheNumbers) {
  EXPECT_EQ(kSuccess, AMDSMI_STATUS_SUCCESS);
  EXPECT_EQ(kGpus, AMDSMI_INIT_AMD_GPUS);
  EXPECT_EQ(kGpu, AMDSMI_PROCESSOR_TYPE_AMD_GPU);
  EXPECT_EQ(kCoreClock, AMDSMI_CLK_TYPE_GFX);
  EXPECT_EQ(kMemoryClock, AMDSMI_CLK_TYPE_MEM);
  EXPECT_EQ(kEdge, AMDSMI_TEMPERATURE_TYPE_EDGE);
  EXPECT_EQ(kCurrent, AMDSMI_TEMP_CURRENT);
  EXPECT_EQ(kDeviceMemory, AMDSMI_MEM_TYPE_VRAM);
  amdsmi_bdf_t address{};
  address.as_uint = 2ull << 16 | 0xc1 << 8 | 3 << 3 | 1;
  EXPECT_EQ(address.domain_number, 2u);
  EXPECT_EQ(address.bus_number, 0xc1u);
  EXPECT_EQ(address.device_number, 3u);
  EXPECT_EQ(address.function_number, 1u);
}

#else

TEST(AmdsmiHeader, HasTheNumbers) {
  GTEST_SKIP() << "no amd_smi/amdsmi.h: the signatures are not checked";
}

#endif

}  // namespace
}  // namespace zl::backend
