#include "timing/back_off.h"

#include <gtest/gtest.h>

namespace zl::timing {
namespace {

TEST(BackOff, DoublesThreeTimesAVisit) {
  BackOff back_off;
  EXPECT_EQ(back_off.next_ns(), 100'000'000);
  EXPECT_EQ(back_off.next_ns(), 200'000'000);
  EXPECT_EQ(back_off.next_ns(), 400'000'000);
  EXPECT_EQ(back_off.next_ns(), std::nullopt);
  back_off.start_visit();
  EXPECT_EQ(back_off.next_ns(), 100'000'000);
}

TEST(BackOff, WaitsForTwoSecondsInAll) {
  BackOff back_off;
  std::int64_t waited_ns = 0;
  for (int visit = 0; visit < 6; ++visit) {
    back_off.start_visit();
    while (auto const wait_ns = back_off.next_ns()) waited_ns += *wait_ns;
  }
  EXPECT_EQ(waited_ns, 2'000'000'000);
}

}  // namespace
}  // namespace zl::timing
