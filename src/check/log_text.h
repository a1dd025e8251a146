// check/: why an operator does not run. Reads what a run left behind; starts nothing and names no
// vendor: every word of a vendor's that it knows stands in check/rules/, which are data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace zl::check {

// One line as a terminal would have shown it: UTF-8, without escape sequences and trailing blanks.
// What a progress bar printed over with \r comes as several lines of the same number.
struct LogLine {
  std::size_t number = 0;  // from 1
  std::string_view text;   // valid during the call only
};

struct LogSummary {
  std::uint64_t bytes = 0;
  std::size_t lines = 0;            // with something on them
  std::uint64_t control_bytes = 0;  // that no text has
  std::string encoding = "utf-8";   // or utf-16le, utf-16be
  std::string packed;               // "gzip", "zstd", "xz", "elf", ...: by the first bytes
  bool is_cut = false;              // the last line has no end
  std::string last_line;            // the last one with something on it, at most 400 bytes

  bool is_binary() const;
};

// Bytes in, lines out, in one pass and bounded memory whatever the bytes are.
class LineReader {
 public:
  using Take = std::function<void(LogLine const&)>;
  explicit LineReader(Take take) : take_(std::move(take)) {}

  void feed(std::string_view bytes);
  LogSummary finish();

 private:
  enum class Escape { none, begun, csi, string, string_end, charset };

  void feed_utf8(std::string_view bytes);
  void feed_utf16(std::string_view bytes);
  void decide_encoding(std::string_view bytes);
  void put(unsigned char byte);
  void escape(unsigned char byte);
  void emit();
  void end_line();

  Take take_;
  LogSummary summary_;
  bool is_decided_ = false;
  std::string line_;
  std::string odd_bytes_;  // of a UTF-16 unit that the next bytes complete
  unsigned high_surrogate_ = 0;
  std::size_t number_ = 1;
  std::uint64_t bytes_in_line_ = 0;
  Escape escape_ = Escape::none;
};

// The file in pieces: a log of 200 MB is not held in memory.
Result<LogSummary> read_log(std::filesystem::path const& path, LineReader::Take take);

}  // namespace zl::check
