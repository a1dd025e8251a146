#include "timing/packing.h"

namespace zl::timing {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void Packer::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(0x80 | (value & 0x7f));
  bytes_ += static_cast<char>(value);
}

void Packer::put_signed(std::int64_t value) {
  auto const bits = static_cast<std::uint64_t>(value);
  put((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

std::string Packer::text() const {
  std::string text;
  std::uint32_t held = 0;
  int count = 0;  // bits of `held` that are not written yet
  for (char const byte : bytes_) {
    held = (held << 8 | static_cast<unsigned char>(byte)) & 0xffff;
    count += 8;
    for (; count >= 6; count -= 6) text += kAlphabet[held >> (count - 6) & 0x3f];
  }
  if (count > 0) text += kAlphabet[held << (6 - count) & 0x3f];
  return text;
}

std::optional<Unpacker> Unpacker::open(std::string_view text) {
  Unpacker unpacker;
  std::uint32_t held = 0;
  int count = 0;
  for (char const letter : text) {
    std::size_t const value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    held = (held << 6 | static_cast<std::uint32_t>(value)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    unpacker.bytes_ += static_cast<char>(held >> count & 0xff);
  }
  // Six bits more than whole bytes: a letter is missing.
  bool const is_whole = count < 6 && (held & ((1u << count) - 1)) == 0;
  if (!is_whole) return std::nullopt;
  return unpacker;
}

std::uint64_t Unpacker::next() {
  std::uint64_t value = 0;
  for (int shift = 0; is_good_ && position_ < bytes_.size(); shift += 7) {
    auto const byte = static_cast<unsigned char>(bytes_[position_++]);
    std::uint64_t const part = byte & 0x7f;
    if (shift > 63 || (shift == 63 && part > 1)) break;
    value |= part << shift;
    if (byte < 0x80) return value;
  }
  is_good_ = false;
  return 0;
}

std::int64_t Unpacker::next_signed() {
  std::uint64_t const folded = next();
  return static_cast<std::int64_t>(folded >> 1 ^ ((folded & 1) != 0 ? ~std::uint64_t{0} : 0));
}

}  // namespace zl::timing
