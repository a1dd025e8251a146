#include "timing/packing.h"

#include <gtest/gtest.h>
#include <limits>

namespace zl::timing {
namespace {

TEST(Packing, EveryNumberComesBack) {
  std::uint64_t const plain[] = {
      0, 1, 127, 128, 16'383, 16'384, std::numeric_limits<std::uint64_t>::max()};
  std::int64_t const with_sign[] = {0,
                                    -1,
                                    1,
                                    -64,
                                    64,
                                    std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()};
  Packer packer;
  for (auto const value : plain) packer.put(value);
  for (auto const value : with_sign) packer.put_signed(value);
  auto unpacker = Unpacker::open(packer.text());
  ASSERT_TRUE(unpacker);
  for (auto const value : plain) EXPECT_EQ(unpacker->next(), value);
  for (auto const value : with_sign) EXPECT_EQ(unpacker->next_signed(), value);
  EXPECT_TRUE(unpacker->is_good());
  EXPECT_EQ(unpacker->left(), 0u);
}

// The text is what any other base64 decoder reads; small changes take one byte each.
TEST(Packing, IsPlainBase64OfSmallBytes) {
  Packer packer;
  for (char const letter : {'M', 'a', 'n', '!'}) packer.put(static_cast<std::uint64_t>(letter));
  EXPECT_EQ(packer.text(), "TWFuIQ");
  Packer changes;
  for (int const change : {-64, -1, 0, 1, 63}) changes.put_signed(change);
  EXPECT_EQ(Unpacker::open(changes.text())->left(), 5u);
}

TEST(Packing, TextThatIsNotBase64IsRefused) {
  for (char const* const text : {"A", "TWFuI", "TWFu=", "TW Fu", "TWF\xc3", "TWFuIR"}) {
    EXPECT_FALSE(Unpacker::open(text)) << text;
  }
  EXPECT_TRUE(Unpacker::open(""));
}

TEST(Packing, PastTheEndAndInTheMiddleOfANumberNothingIsGood) {
  auto empty = Unpacker::open("");
  EXPECT_EQ(empty->next(), 0u);
  EXPECT_FALSE(empty->is_good());
  auto half = Unpacker::open("gA");  // 0x80: more is to follow
  EXPECT_EQ(half->next(), 0u);
  EXPECT_FALSE(half->is_good());
  auto too_long = Unpacker::open("////////////////");  // 96 set bits
  EXPECT_EQ(too_long->next(), 0u);
  EXPECT_FALSE(too_long->is_good());
  EXPECT_EQ(too_long->next_signed(), 0);
  auto too_large = Unpacker::open("////////////Ag");  // 2^64 and more, in ten bytes
  EXPECT_EQ(too_large->next(), 0u);
  EXPECT_FALSE(too_large->is_good());
}

}  // namespace
}  // namespace zl::timing
