#include "batch/lease.h"

#include <gmock/gmock.h>
#include <random>

namespace zl::batch {
namespace {

using Grant = Lease::Grant;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LeaseTest, ManyWorkBesideEachOtherAndOneMeasuresAlone) {
  Lease lease(3);
  lease.want(0, Access::shared);
  lease.want(1, Access::shared);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{0, Access::shared}, Grant{1, Access::shared}));
  lease.want(2, Access::exclusive);
  EXPECT_THAT(lease.take_grants(), IsEmpty()) << "two are at work";
  lease.give_back(0);
  EXPECT_THAT(lease.take_grants(), IsEmpty()) << "one is";
  lease.give_back(1);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{2, Access::exclusive}));
  EXPECT_EQ(lease.holder(), 2);
  lease.want(0, Access::shared);
  lease.want(1, Access::exclusive);
  EXPECT_THAT(lease.take_grants(), IsEmpty());
}

TEST(LeaseTest, WhoWantsTheLeaseHasLeftTheDevice) {
  Lease lease(2);
  lease.want(0, Access::shared);
  lease.want(1, Access::shared);
  lease.take_grants();
  // Both go from work to measuring at once: no one waits for what the other still holds.
  lease.want(0, Access::exclusive);
  lease.want(1, Access::exclusive);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{0, Access::exclusive}));
  lease.want(0, Access::shared);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{1, Access::exclusive}));
  lease.give_back(1);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{0, Access::shared}));
}

TEST(LeaseTest, TheDeadGiveBackWhatTheyHeldAndWhatTheyWished) {
  Lease lease(3);
  lease.want(0, Access::exclusive);
  lease.take_grants();
  lease.want(1, Access::exclusive);
  lease.want(2, Access::exclusive);
  lease.give_back(1);  // dies while it waits
  lease.give_back(0);  // dies while it measures
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{2, Access::exclusive}));
}

TEST(LeaseTest, MeasuringAndWorkTakeTurns) {
  Lease lease(4);
  for (int const seat : {0, 1}) lease.want(seat, Access::exclusive);
  for (int const seat : {2, 3}) lease.want(seat, Access::shared);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{0, Access::exclusive}));
  lease.want(0, Access::exclusive);  // back at once: of the next turn
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{1, Access::exclusive}));
  lease.give_back(1);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{2, Access::shared}, Grant{3, Access::shared}));
  lease.want(1, Access::shared);  // 0 waits to measure: not before it
  lease.give_back(2);
  lease.give_back(3);
  EXPECT_THAT(lease.take_grants(), ElementsAre(Grant{0, Access::exclusive}));
}

// Children that do anything at any time, and die at any time.
class RandomLease {
 public:
  RandomLease(int seats, unsigned seed)
      : lease_(seats), waits_(static_cast<std::size_t>(seats), 0), random_(seed) {}

  void step() {
    int const seat = pick(static_cast<int>(waits_.size()));
    bool const waits = lease_.wanted_by(seat) != Access::none;
    int const what = pick(10);
    if (what == 0) {
      forget(seat);  // it died
      lease_.give_back(seat);
    } else if (!waits) {
      if (what < 5) {
        lease_.give_back(seat);
      } else {
        lease_.want(seat, what < 8 ? Access::shared : Access::exclusive);
      }
    }
    settle();
  }
  // Everybody who holds gives back, nobody new comes: all wishes must come true.
  int drain() {
    int rounds = 0;
    for (; lease_.has_waiting() && rounds < 1000; ++rounds) {
      for (std::size_t i = 0; i < waits_.size(); ++i) {
        int const seat = static_cast<int>(i);
        if (lease_.held_by(seat) != Access::none) lease_.give_back(seat);
      }
      settle();
    }
    return rounds;
  }
  int longest_wait = 0;

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  void forget(int seat) { waits_[static_cast<std::size_t>(seat)] = 0; }

  void settle() {
    for (Lease::Grant const& grant : lease_.take_grants()) {
      forget(grant.seat);
      // How often others got the lease while one waited: what "nobody starves" means.
      if (grant.access != Access::exclusive) continue;
      for (std::size_t i = 0; i < waits_.size(); ++i) {
        if (lease_.wanted_by(static_cast<int>(i)) == Access::none) continue;
        longest_wait = std::max(longest_wait, ++waits_[i]);
      }
    }
    check();
  }
  void check() const {
    int shared = 0;
    int exclusive = 0;
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      Access const held = lease_.held_by(static_cast<int>(i));
      shared += held == Access::shared ? 1 : 0;
      exclusive += held == Access::exclusive ? 1 : 0;
    }
    ASSERT_LE(exclusive, 1);
    ASSERT_TRUE(exclusive == 0 || shared == 0) << "somebody works beside the one who measures";
    ASSERT_TRUE(shared + exclusive > 0 || !lease_.has_waiting()) << "all wait and nobody works";
  }

  Lease lease_;
  std::vector<int> waits_;
  std::mt19937 random_;
};

TEST(LeaseTest, WhateverTheChildrenDoOneMeasuresAloneAndNobodyStarves) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    int const seats = 2 + static_cast<int>(seed % 7);
    RandomLease children(seats, seed);
    for (int i = 0; i < 2000; ++i) {
      children.step();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    EXPECT_LE(children.longest_wait, 2 * seats) << "seed " << seed;
    EXPECT_LE(children.drain(), 2 * seats) << "seed " << seed;
  }
}

}  // namespace
}  // namespace zl::batch
