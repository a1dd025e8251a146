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

TEST(Summary, HasCyclesWhereTheClockIsKnown) {
  Record record = make_record({.value_ns = 10'000, .noise = 0, .burst_noise = 0, .tick_ns = 0});
  for (Visit& visit : record.visits) {
    for (Burst& burst : visit.bursts) burst.evidence.clock_mhz = 1500;
  }
  EXPECT_NEAR(*summarise(record)->cycles, 15'000, 1e-3);  // the timer's own share is not in it
  // Where it is not known it is not guessed, and what is rejected does not count.
  for (Burst& burst : record.visits[1].bursts) burst.evidence.clock_mhz = 0;
  record.visits[0].bursts[0].evidence.clock_mhz = 3000;
  record.visits[0].bursts[0].rejection = Rejection::clock;
  EXPECT_NEAR(*summarise(record)->cycles, 15'000, 1e-3);
  EXPECT_EQ(summarise(record)->clock_mhz, 1500);
  record.visits[0].is_discarded = true;
  EXPECT_FALSE(summarise(record)->cycles);
}

// Within a visit that counts.
TEST(Summary, TellsAPowerCap) {
  Record record = make_record({});
  record.visits[0].is_power_capped = true;
  EXPECT_THAT(summarise(record)->flags, testing::Contains("power_capped"));
  record.visits[0].is_discarded = true;
  EXPECT_THAT(summarise(record)->flags, testing::Not(testing::Contains("power_capped")));
}

// 5 us in ticks of 500 ns, 9 % apart: less than two ticks a sample, and more than two a call.
TEST(Summary, VisitsWithinTwoTicksOfEachOtherAgree) {
  Record record = make_record({.value_ns = 5'000, .noise = 0.02, .tick_ns = 500});
  for (Burst& burst : record.visits[1].bursts) {
    for (double& interval : burst.intervals_ns) interval += 500;
  }
  EXPECT_THAT(summarise(record)->flags, testing::Not(testing::Contains("visit_split")));
  record.calls_per_sample = 8;
  record.null_ns = 0;
  EXPECT_EQ(visit_tolerance(record).floor_ns, 125);
  EXPECT_EQ(visit_tolerance(record).tau, 0.003);
  record.tick_ns = 32;
  EXPECT_THAT(summarise(record)->flags, testing::Contains("visit_split"));
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
