#pragma once

#include <string>
#include <string_view>

#include "base/environment.h"

namespace zl {

enum class Color { none, red, green, yellow, gray };

// One output stream that may be a terminal: lines that stay, and one status line that is printed
// over.
class Terminal {
 public:
  // `fd` 1 or 2. Color only on a terminal, without NO_COLOR and with TERM other than "dumb".
  Terminal(int fd, Environment const& environment);
  ~Terminal() { clear_status(); }
  Terminal(Terminal const&) = delete;
  Terminal& operator=(Terminal const&) = delete;

  bool is_terminal() const { return is_terminal_; }
  std::string paint(std::string_view text, Color color) const;

  // Stays. Takes the status line away first.
  void print_line(std::string_view text);
  // Overprints the status line; cut to the width of the terminal. Does nothing when the output is
  // no terminal.
  void show_status(std::string_view text);
  void clear_status();

 private:
  void write(std::string_view text) const;

  int fd_;
  bool is_terminal_;
  bool has_color_;
  bool has_status_ = false;
};

// `text` cut to `columns`, with "..." in the middle when it is longer. Counts UTF-8 characters, not
// bytes; wide characters count as one.
std::string elide_middle(std::string_view text, std::size_t columns);

// "1.5 s", "3 min 20 s", "1 h 05 min".
std::string duration_text(double seconds);

}  // namespace zl
