#pragma once

#include <string>

namespace zl {

// A cell as RFC 4180 writes it: in quotes where it holds a quote, a comma or a line end.
inline std::string csv_cell(std::string const& text) {
  if (text.find_first_of("\",\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace zl
