#include "batch/jobs.h"

#include <gtest/gtest.h>

namespace zl::batch {
namespace {

constexpr std::uint64_t kGiB = 1ull << 30;

TEST(JobsTest, AsManyAsCoresAndMemoryCarry) {
  EXPECT_EQ(default_jobs_per_device({16, 128 * kGiB}, 1, false), 4);
  EXPECT_EQ(default_jobs_per_device({128, 560 * kGiB}, 8, false), 4);
  EXPECT_EQ(default_jobs_per_device({128, 64 * kGiB}, 4, false), 2) << "memory is short";
  EXPECT_EQ(default_jobs_per_device({256, 4096 * kGiB}, 1, false), 8) << "no more help";
  EXPECT_EQ(default_jobs_per_device({32, 0}, 2, false), 4) << "memory is not known";
}

TEST(JobsTest, OneWhereCoresAreFewOrAreTheDevice) {
  EXPECT_EQ(default_jobs_per_device({2, 16 * kGiB}, 1, false), 1);
  EXPECT_EQ(default_jobs_per_device({64, 512 * kGiB}, 64, false), 1);
  EXPECT_EQ(default_jobs_per_device({64, 512 * kGiB}, 1, true), 1);
  EXPECT_EQ(default_jobs_per_device({64, 512 * kGiB}, 0, false), 1);
}

TEST(JobsTest, TheHostTellsItsShare) {
  HostShare const share = host_share();
  EXPECT_GE(share.cores, 1);
  EXPECT_GT(share.memory_bytes, 0u);
}

}  // namespace
}  // namespace zl::batch
