#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zl::timing {

// Whole numbers as text: 7 bits a byte, the low ones first, a set top bit when more follow
// (LEB128); a number with a sign goes 0, -1, 1, -2, ... (zigzag); the bytes as base64 without
// padding.
class Packer {
 public:
  void put(std::uint64_t value);
  void put_signed(std::int64_t value);
  std::string text() const;

 private:
  std::string bytes_;
};

// The numbers again. Past the end, and from the first number that is none, everything is 0 and
// is_good() false.
class Unpacker {
 public:
  // Empty when the text is not base64.
  static std::optional<Unpacker> open(std::string_view text);

  std::uint64_t next();
  std::int64_t next_signed();
  bool is_good() const { return is_good_; }
  // Bytes; each number takes one at least, so that this bounds every count.
  std::size_t left() const { return bytes_.size() - position_; }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
  bool is_good_ = true;
};

}  // namespace zl::timing
