#include "base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/files.h"

namespace zl {

namespace {

constexpr std::size_t kFallbackColumns = 80;

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

void Terminal::print_line(std::string_view text) {
  clear_status();
  write(std::string(text) + "\n");
}

void Terminal::show_status(std::string_view text) {
  if (!is_terminal_) return;
  // One column is left free: some terminals wrap when the last one is written.
  write("\r\x1b[K" + elide_middle(text, columns_of(fd_) - 1));
  has_status_ = true;
}

void Terminal::clear_status() {
  if (has_status_) write("\r\x1b[K");
  has_status_ = false;
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
