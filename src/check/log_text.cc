#include "check/log_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/fd.h"

namespace zl::check {

namespace {

// A longer line is handed on in pieces that overlap, so that a signature at a seam is still whole.
constexpr std::size_t kLongestPiece = 32768;
constexpr std::size_t kOverlap = 512;
constexpr std::size_t kReadBytes = 1u << 18;

struct Magic {
  std::string_view bytes;
  char const* name;
};
constexpr Magic kMagics[] = {
    {"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd\x37zXZ", "xz"},
    {"BZh", "bzip2"},     {"PK\x03\x04", "zip"},        {"\x7f\x45LF", "elf"},
};

bool is_control(unsigned char byte) {
  return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\b' &&
         byte != '\a' && byte != '\f' && byte != 0x1b;
}

// Everything that is not copied as it is.
constexpr std::array<bool, 256> make_specials() {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = byte != '\t';
  table[0x7f] = true;
  return table;
}
constexpr std::array<bool, 256> kSpecial = make_specials();

void append_utf8(std::string& text, unsigned point) {
  auto const tail = [&](int shift) {
    return static_cast<char>(0x80u | ((point >> shift) & 0x3fu));
  };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0u | (point >> 6));
    text += tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0u | (point >> 12));
    text += tail(6);
    text += tail(0);
  } else {
    text += static_cast<char>(0xf0u | (point >> 18));
    text += tail(12);
    text += tail(6);
    text += tail(0);
  }
}

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool LogSummary::is_binary() const {
  return control_bytes * 20 > bytes && bytes > 0;
}

// By the mark at its begin, or by the NULs that every second byte of ASCII in UTF-16 is.
void LineReader::decide_encoding(std::string_view bytes) {
  is_decided_ = true;
  for (Magic const& magic : kMagics) {
    if (bytes.substr(0, magic.bytes.size()) == magic.bytes) summary_.packed = magic.name;
  }
  bool const is_little = bytes.substr(0, 2) == "\xff\xfe";
  bool const is_big = bytes.substr(0, 2) == "\xfe\xff";
  std::size_t nuls[2] = {0, 0};
  std::size_t const looked_at = std::min<std::size_t>(bytes.size(), 4096);
  for (std::size_t i = 0; i < looked_at; ++i) nuls[i % 2] += bytes[i] == '\0' ? 1 : 0;
  auto const mostly = [&](std::size_t count) { return count * 2 > looked_at / 2 && looked_at > 8; };
  if (is_little || (mostly(nuls[1]) && nuls[0] * 8 < nuls[1])) summary_.encoding = "utf-16le";
  if (is_big || (mostly(nuls[0]) && nuls[1] * 8 < nuls[0])) summary_.encoding = "utf-16be";
}

void LineReader::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  summary_.bytes += bytes.size();
  if (!is_decided_) {
    decide_encoding(bytes);
    if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
  }
  summary_.encoding == "utf-8" ? feed_utf8(bytes) : feed_utf16(bytes);
}

void LineReader::feed_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t end = at;
    if (escape_ == Escape::none) {
      std::size_t const limit = std::min(bytes.size(), at + kLongestPiece);
      while (end < limit && !kSpecial[static_cast<unsigned char>(bytes[end])]) ++end;
      line_.append(bytes, at, end - at);
      bytes_in_line_ += end - at;
      if (line_.size() > kLongestPiece) {
        emit();
        line_.erase(0, line_.size() - kOverlap);
      }
      at = end;
      if (at >= bytes.size()) return;
      if (!kSpecial[static_cast<unsigned char>(bytes[at])]) continue;
    }
    put(static_cast<unsigned char>(bytes[at++]));
  }
}

void LineReader::feed_utf16(std::string_view bytes) {
  odd_bytes_.append(bytes);
  std::string text;
  std::size_t at = 0;
  int const high = summary_.encoding == "utf-16le" ? 1 : 0;
  for (; at + 1 < odd_bytes_.size(); at += 2) {
    auto const byte = [&](int which) {
      return static_cast<unsigned>(static_cast<unsigned char>(odd_bytes_[at + which]));
    };
    unsigned const unit = byte(high) << 8 | byte(1 - high);
    if (unit == 0xfeff) continue;
    if (unit >= 0xd800 && unit < 0xdc00) {
      high_surrogate_ = unit;
      continue;
    }
    bool const is_low = unit >= 0xdc00 && unit < 0xe000;
    unsigned point = is_low ? 0xfffd : unit;
    if (is_low && high_surrogate_ != 0)
      point = 0x10000 + ((high_surrogate_ - 0xd800) << 10) + (unit - 0xdc00);
    high_surrogate_ = 0;
    append_utf8(text, point);
  }
  odd_bytes_.erase(0, at);
  feed_utf8(text);
}

// A byte inside an escape sequence, or one that is not copied as it is.
void LineReader::put(unsigned char byte) {
  if (byte == '\n') {
    end_line();
  } else if (escape_ != Escape::none) {
    escape(byte);
  } else if (byte == 0x1b) {
    escape_ = Escape::begun;
  } else if (byte == '\r') {
    emit();
    line_.clear();
  } else if (is_control(byte)) {
    ++summary_.control_bytes;
    ++bytes_in_line_;
  }
}

void LineReader::escape(unsigned char byte) {
  switch (escape_) {
    case Escape::begun:
      escape_ = byte == '['                                                ? Escape::csi
                : byte == ']' || byte == 'P' || byte == '_' || byte == '^' ? Escape::string
                : byte == '(' || byte == ')' || byte == '#' || byte == '%' ? Escape::charset
                                                                           : Escape::none;
      return;
    case Escape::csi:
      if (byte >= 0x40 && byte <= 0x7e) escape_ = Escape::none;
      return;
    case Escape::string:
      if (byte == '\a') escape_ = Escape::none;
      if (byte == 0x1b) escape_ = Escape::string_end;
      return;
    case Escape::string_end:
    case Escape::charset:
    case Escape::none:
      escape_ = Escape::none;
  }
}

void LineReader::emit() {
  std::string_view const text = without_trailing_blanks(line_);
  if (text.empty()) return;
  ++summary_.lines;
  take_({number_, text});
  summary_.last_line.assign(text, 0, 400);
}

// An escape sequence that no byte ended does not reach over the line.
void LineReader::end_line() {
  emit();
  line_.clear();
  escape_ = Escape::none;
  bytes_in_line_ = 0;
  ++number_;
}

LogSummary LineReader::finish() {
  summary_.is_cut = bytes_in_line_ > 0 || !odd_bytes_.empty();
  emit();
  line_.clear();
  return summary_;
}

Result<LogSummary> read_log(std::filesystem::path const& path, LineReader::Take take) {
  Fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  bool const is_readable = file.is_open() && ::fstat(file.get(), &info) == 0;
  if (!is_readable || !S_ISREG(info.st_mode)) {
    return fail(ErrorKind::usage,
                fmt::format("cannot read the log {}: {}; name a file", path.string(),
                            is_readable ? "it is no regular file" : std::strerror(errno)));
  }
  LineReader reader(std::move(take));
  std::vector<char> buffer(kReadBytes);
  while (true) {
    ssize_t const count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return fail(ErrorKind::environment,
                  fmt::format("cannot read the log {}: {}", path.string(), std::strerror(errno)));
    }
    if (count == 0) return reader.finish();
    reader.feed({buffer.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace zl::check
