#include "base/terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

namespace zl {

namespace {

constexpr std::size_t kFallbackColumns = 80;
constexpr std::size_t kFallbackRows = 24;

std::size_t columns_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kFallbackColumns;
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (char const byte : text) count += starts_character(byte) ? 1 : 0;
  return count;
}

// The first `count` characters.
std::string_view take_front(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!starts_character(text[i])) continue;
    if (seen == count) return text.substr(0, i);
    ++seen;
  }
  return text;
}

char const* code_of(Color color) {
  switch (color) {
    case Color::red:
      return "31";
    case Color::green:
      return "32";
    case Color::yellow:
      return "33";
    case Color::gray:
      return "90";
    case Color::none:
      break;
  }
  return "0";
}

}  // namespace

Terminal::Terminal(int fd, Environment const& environment) : fd_(fd) {
  bool const is_dumb = lookup(environment, "TERM").value_or("dumb") == "dumb";
  is_terminal_ = ::isatty(fd) == 1 && !is_dumb;
  // no-color.org: any value that is not empty.
  has_color_ = is_terminal_ && lookup(environment, "NO_COLOR").value_or("").empty();
}

void Terminal::write(std::string_view text) const {
  // A closed terminal must not end the batch.
  Result<void> const ignored = write_all(fd_, text, "the terminal");
  static_cast<void>(ignored);
}

std::string Terminal::paint(std::string_view text, Color color) const {
  if (!has_color_ || color == Color::none) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(color), text);
}

std::size_t Terminal::columns() const {
  return columns_of(fd_);
}

std::size_t Terminal::rows() const {
  winsize size{};
  if (::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return kFallbackRows;
}

// The cursor stands in the last status line. A terminal that has become narrower since has broken
// the lines anew.
std::string Terminal::to_first_status_line(std::size_t columns) const {
  std::size_t rows_up = 0;
  for (std::string const& line : shown_) {
    rows_up += std::max<std::size_t>(1, (count_characters(line) + columns - 1) / columns);
  }
  std::string codes = "\r";
  if (rows_up > 1) codes += fmt::format("\x1b[{}A", rows_up - 1);
  return codes;
}

void Terminal::print_line(std::string_view text) {
  if (shown_.empty()) return write(std::string(text) + "\n");
  std::vector<std::string> const below = shown_;
  // In one go: the status never seems to be away.
  std::string all = to_first_status_line(columns_of(fd_)) + "\x1b[J" + std::string(text) + "\n";
  write(all + join(below, "\n"));
}

void Terminal::show_status(std::vector<std::string> const& lines) {
  if (!is_terminal_ || lines.empty()) return;
  std::size_t const columns = columns_of(fd_);
  std::vector<std::string> cut;
  // One column is left free: some terminals wrap when the last one is written.
  for (std::string const& line : lines) cut.push_back(elide_middle(line, columns - 1));
  if (cut == shown_) return;
  std::string text = shown_.empty() ? "\r" : to_first_status_line(columns);
  for (std::size_t i = 0; i < cut.size(); ++i) {
    text += (i == 0 ? "" : "\n") + cut[i] + "\x1b[K";
  }
  write(text + "\x1b[J");
  shown_ = std::move(cut);
}

void Terminal::clear_status() {
  if (!shown_.empty()) write(to_first_status_line(columns_of(fd_)) + "\x1b[J");
  shown_.clear();
}

std::string elide_middle(std::string_view text, std::size_t columns) {
  std::size_t const length = count_characters(text);
  if (length <= columns) return std::string(text);
  if (columns <= 3) return std::string(take_front(text, columns));
  std::size_t const kept = columns - 3;
  std::string_view const head = take_front(text, kept - kept / 2);
  std::string_view const before_tail = take_front(text, length - kept / 2);
  return std::string(head) + "..." + std::string(text.substr(before_tail.size()));
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  auto const whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace zl
