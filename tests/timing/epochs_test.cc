#include "timing/epochs.h"

#include <array>
#include <gtest/gtest.h>

namespace zl::timing {
namespace {

constexpr std::size_t kStride = 64;

class EpochsTest : public testing::Test {
 protected:
  EpochsTest() { epochs_.watch_others(memory_.data(), 3, kStride, 1); }
  std::uint64_t& counter(std::size_t seat) {
    return memory_[seat * kStride / sizeof(std::uint64_t)];
  }
  bool is_changed_by(auto const& change) {
    std::uint64_t const before = epochs_.read();
    change();
    return epochs_.read() != before;
  }
  std::array<std::uint64_t, 24> memory_{};
  Epochs epochs_;
};

TEST_F(EpochsTest, WithoutCountersNothingChanges) {
  Epochs none;
  EXPECT_EQ(none.read(), none.read());
}

TEST_F(EpochsTest, SeesWorkThatBeganAndEndedInBetween) {
  EXPECT_FALSE(is_changed_by([] {}));
  EXPECT_TRUE(is_changed_by([&] { counter(0) += 2; }));
  EXPECT_TRUE(is_changed_by([&] { counter(2) += 2; }));
}

TEST_F(EpochsTest, SeesWorkThatGoesOnAllTheTime) {
  counter(2) = 7;  // odd before, odd after
  EXPECT_TRUE(is_changed_by([] {}));
}

TEST_F(EpochsTest, ItsOwnPlaceIsNotRead) {
  counter(1) = 3;
  EXPECT_FALSE(is_changed_by([&] { counter(1) += 2; }));
}

TEST_F(EpochsTest, SeesWhatThisProcessCompiles) {
  std::uint64_t compiled = 0;
  epochs_.watch(&compiled);
  EXPECT_TRUE(is_changed_by([&] { ++compiled; }));
}

}  // namespace
}  // namespace zl::timing
