#include "timing/record.h"

#include <gmock/gmock.h>

#include "timing/records.h"

namespace zl::timing {
namespace {

TEST(Summary, WidthsFollowFromTheIntervalAndTau) {
  Record record = make_record({});
  Summary const summary = *summarise(record);
  double const half_ns = (summary.interval_ns->high - summary.interval_ns->low) / 2;
  EXPECT_DOUBLE_EQ(*summary.ci95_relative, half_ns / summary.median_ns);
  EXPECT_DOUBLE_EQ(*summary.ci95_rep_ns, std::hypot(half_ns, 1.96 * 0.003 * summary.median_ns));
  EXPECT_EQ(summary.iqr_ns, summary.p75_ns - summary.p25_ns);
  EXPECT_EQ(summary.visits, 2u);
  record.tau = 0;
  EXPECT_FALSE(summarise(record)->ci95_rep_ns);
}

TEST(Summary, OneBurstHasNoIntervalAndNothingMadeOfIt) {
  Summary const summary = *summarise(make_record({.visits = 1, .bursts = 1}));
  EXPECT_FALSE(summary.interval_ns);
  EXPECT_FALSE(summary.ci95_relative);
  EXPECT_FALSE(summary.ci95_rep_ns);
}

TEST(Summary, CountsTheVisitsThatCount) {
  Record record = make_record({.visits = 3});
  record.visits[0].is_discarded = true;
  EXPECT_EQ(summarise(record)->visits, 2u);
  EXPECT_EQ(summarise(record)->bursts, 26u);
  EXPECT_EQ(summarise(record)->rejected_bursts, 13u);
}

}  // namespace
}  // namespace zl::timing
