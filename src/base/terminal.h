#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"

namespace zl {

enum class Color { none, red, green, yellow, gray };

// One output stream that may be a terminal: lines that stay, and below them status lines that are
// printed over.
class Terminal {
 public:
  // `fd` 1 or 2. Color only on a terminal, without NO_COLOR and with TERM other than "dumb".
  Terminal(int fd, Environment const& environment);
  ~Terminal() { clear_status(); }
  Terminal(Terminal const&) = delete;
  Terminal& operator=(Terminal const&) = delete;

  bool is_terminal() const { return is_terminal_; }
  std::string paint(std::string_view text, Color color) const;

  std::size_t rows() const;  // of the terminal
  std::size_t columns() const;

  // Stays; the status lines go below it.
  void print_line(std::string_view text);
  // Overprints the status lines; each is cut to the width of the terminal. Writes nothing when
  // nothing has changed, and when the output is no terminal.
  void show_status(std::vector<std::string> const& lines);
  void clear_status();

 private:
  void write(std::string_view text) const;
  std::string to_first_status_line(std::size_t columns) const;

  int fd_;
  bool is_terminal_;
  bool has_color_;
  std::vector<std::string> shown_;  // the status lines as they stand there
};

// `text` cut to `columns`, with "..." in the middle when it is longer. Counts UTF-8 characters, not
// bytes; wide characters count as one.
std::string elide_middle(std::string_view text, std::size_t columns);

// "1.5 s", "3 min 20 s", "1 h 05 min".
std::string duration_text(double seconds);

}  // namespace zl
