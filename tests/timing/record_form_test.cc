#include "timing/record_form.h"

#include <gmock/gmock.h>

#include "timing/records.h"

namespace zl::timing {
namespace {

using testing::ElementsAre;

Record record_of(double tick_ns, std::vector<double> intervals_ns) {
  Record record{"x", tick_ns, 0, 1, 0, {}};
  Burst burst;
  burst.intervals_ns = std::move(intervals_ns);
  record.visits.push_back({{burst}, BurstStop::interval, false, false});
  return record;
}

std::vector<double> const& intervals(Record const& record) {
  return record.visits[0].bursts[0].intervals_ns;
}

TEST(RecordForm, TheUnitIsTheLargestThatHoldsEveryInterval) {
  EXPECT_EQ(interval_unit_ns(record_of(32, {64, 96, 1'000'000 * 32.0})), 32);
  EXPECT_EQ(interval_unit_ns(record_of(31.25, {62.5, 93.75})), 31.25);
  EXPECT_EQ(interval_unit_ns(record_of(32, {64, 97})), 1);
  EXPECT_EQ(interval_unit_ns(record_of(32, {64, 97.5})), kFine_ns);
  EXPECT_EQ(interval_unit_ns(record_of(0, {5, 6})), 1);
}

// Events give milliseconds as a float: 156,250 ticks of 32 ns come as 4,999,999.89 or so.
TEST(RecordForm, ATimeThatCameAsAFloatIsOfTheNearestTicks) {
  EXPECT_THAT(intervals(normalised(record_of(32, {4'999'999.89, 64.003}))),
              ElementsAre(5'000'000, 64));
  // Further away than a float can be: the tick is not what it comes in.
  EXPECT_THAT(intervals(normalised(record_of(32, {4'999'999.89, 64.03}))),
              ElementsAre(4'999'999.89, 64.03));
}

// A float of 0.3 s has steps of 30 ns: it says nothing about ticks of 32.
TEST(RecordForm, ATickFinerThanTheFloatIsNotClaimed) {
  EXPECT_THAT(intervals(normalised(record_of(32, {300'000'015.25}))), ElementsAre(300'000'015.25));
}

TEST(RecordForm, KeepsOneHostTimeABurstAndStartsInMicroseconds) {
  Record const before = make_record({.has_host = true});
  Record const after = normalised(before);
  EXPECT_EQ(std::fmod(after.visits[1].bursts[5].start_ns, 1000), 0);
  for (std::size_t i = 0; i < 13; ++i) {
    Burst const& was = before.visits[1].bursts[i];
    Burst const& is = after.visits[1].bursts[i];
    EXPECT_NEAR(is.start_ns, was.start_ns, 500);
    EXPECT_NEAR(is.evidence.clock_mhz, was.evidence.clock_mhz, 0.05001);
    ASSERT_EQ(is.host_ns.size(), 1u);
    EXPECT_NEAR(is.host_ns[0], median(was.host_ns), 0.5);
  }
}

TEST(RecordForm, NormalisingTwiceChangesNothing) {
  for (double const tick_ns : {32.0, 31.25, 0.0, 1.0}) {
    Record const once = normalised(make_record({.tick_ns = tick_ns, .has_host = true}));
    Record const twice = normalised(once);
    for (std::size_t i = 0; i < 13; ++i) {
      EXPECT_EQ(once.visits[1].bursts[i].intervals_ns, twice.visits[1].bursts[i].intervals_ns);
      EXPECT_EQ(once.visits[1].bursts[i].evidence.clock_mhz,
                twice.visits[1].bursts[i].evidence.clock_mhz);
      EXPECT_EQ(once.visits[1].bursts[i].start_ns, twice.visits[1].bursts[i].start_ns);
    }
  }
}

TEST(RecordForm, WhatIsNoNumberBecomesOneThatCanBeWritten) {
  EXPECT_EQ(to_steps(std::nan(""), 1), 0);
  EXPECT_EQ(to_steps(1e300, 32), to_steps(1e200, 32));
  EXPECT_EQ(to_steps(0.07, kFine_ns), 7);
  EXPECT_EQ(from_steps(7, kFine_ns), 0.07);
  EXPECT_EQ(from_steps(19'801, kClock_mhz), 1980.1);
}

}  // namespace
}  // namespace zl::timing
