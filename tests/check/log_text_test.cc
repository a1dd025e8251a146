#include "check/log_text.h"

#include <fstream>
#include <gmock/gmock.h>

#include "temp_folder.h"

namespace zl::check {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Read {
  std::vector<std::pair<std::size_t, std::string>> lines;
  LogSummary summary;
};

// In pieces of `piece` bytes: what is at a seam must come out the same.
Read read(std::string const& bytes, std::size_t piece = 1u << 20) {
  Read result;
  LineReader reader(
      [&](LogLine const& line) { result.lines.emplace_back(line.number, std::string(line.text)); });
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    reader.feed(std::string_view(bytes).substr(at, piece));
  result.summary = reader.finish();
  return result;
}

std::string utf16(std::u16string const& text, bool is_little) {
  std::string bytes;
  for (char16_t const unit : text) {
    char const low = static_cast<char>(unit & 0xff);
    char const high = static_cast<char>(unit >> 8);
    bytes += is_little ? low : high;
    bytes += is_little ? high : low;
  }
  return bytes;
}

TEST(LogText, TakesEscapesAndTrailingBlanksAway) {
  std::string const log =
      "\x1b[31mred\x1b[0m one  \n\x1b]0;title\x07two\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n"
      "\x1b(Bthree\n";
  for (std::size_t const piece : {1u, 2u, 3u, 100u}) {
    EXPECT_THAT(read(log, piece).lines,
                ElementsAre(Pair(1, "red one"), Pair(2, "two"), Pair(3, "link"), Pair(4, "three")));
  }
}

TEST(LogText, AnEscapeWithoutAnEndReachesToTheEndOfItsLine) {
  EXPECT_THAT(read("a\x1b]0;never ends\nRuntimeError: x\n").lines,
              ElementsAre(Pair(1, "a"), Pair(2, "RuntimeError: x")));
}

TEST(LogText, WhatAProgressBarPrintedOverIsStillThere) {
  EXPECT_THAT(
      read("10%\r 20%\rRuntimeError: x\nnext\r\n").lines,
      ElementsAre(Pair(1, "10%"), Pair(1, " 20%"), Pair(1, "RuntimeError: x"), Pair(2, "next")));
}

TEST(LogText, ReadsUtf16WithAndWithoutItsMark) {
  std::u16string const text = u"KeyError: \u00e9\U0001F600\nnext line that is long enough\n";
  for (bool const is_little : {true, false}) {
    for (std::u16string const& mark : {std::u16string(u"\ufeff"), std::u16string()}) {
      for (std::size_t const piece : {3u, 1000u}) {
        std::string const bytes = utf16(mark + text, is_little);
        // Without a mark the first piece must be long enough to see what it is.
        Read const found = read(bytes, mark.empty() ? bytes.size() : piece);
        EXPECT_THAT(found.lines, ElementsAre(Pair(1, "KeyError: \u00e9\U0001F600"),
                                             Pair(2, "next line that is long enough")));
        EXPECT_EQ(found.summary.encoding, is_little ? "utf-16le" : "utf-16be");
        EXPECT_FALSE(found.summary.is_binary());
      }
    }
  }
}

TEST(LogText, KnowsABinaryFromAText) {
  std::string bytes(5000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37 % 251);
  EXPECT_TRUE(read("\x1f\x8b" + bytes).summary.is_binary());
  EXPECT_EQ(read("\x1f\x8b" + bytes).summary.packed, "gzip");
  EXPECT_FALSE(read("plain\ttext\n\x1b[1mbold\x1b[0m\n").summary.is_binary());
  EXPECT_FALSE(read("caf\xc3\xa9 latin \xe9\n").summary.is_binary());
}

TEST(LogText, SaysWhetherTheLastLineWasCut) {
  EXPECT_TRUE(read("one\nRuntimeErr").summary.is_cut);
  EXPECT_FALSE(read("one\n").summary.is_cut);
  EXPECT_FALSE(read("").summary.is_cut);
  EXPECT_EQ(read("one\n\n  \nlast\n\n").summary.last_line, "last");
}

TEST(LogText, ALineWithoutAnEndIsReadInPiecesThatOverlap) {
  std::string const seam = "out of resource: shared memory, Required:";
  std::string log;
  for (int i = 0; i < 20000; ++i) log += "x" + seam;
  std::size_t longest = 0;
  std::size_t whole = 0;
  for (auto const& [number, text] : read(log).lines) {
    EXPECT_EQ(number, 1u);
    longest = std::max(longest, text.size());
    for (std::size_t at = text.find(seam); at != std::string::npos; at = text.find(seam, at + 1))
      ++whole;
  }
  EXPECT_LT(longest, 100000u);
  EXPECT_GE(whole, 20000u);
}

TEST(LogText, AFolderOrNothingIsAnErrorAndNotAHang) {
  TempFolder const folder;
  EXPECT_FALSE(read_log(folder.path(), [](LogLine const&) {}));
  EXPECT_FALSE(read_log(folder / "none", [](LogLine const&) {}));
}

}  // namespace
}  // namespace zl::check
