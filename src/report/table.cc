#include "report/table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"

namespace zl::report {

namespace {

std::size_t width_of(std::string const& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string padded(std::string const& text, std::size_t width, bool to_the_right) {
  std::string const blanks(width - std::min(width, width_of(text)), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

void strip_trailing_blanks(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

Result<Format> parse_format(std::string const& text) {
  if (text == "table") return Format::table;
  if (text == "json") return Format::json;
  if (text == "csv") return Format::csv;
  if (text == "md") return Format::md;
  std::vector<std::string> const known{"table", "json", "csv", "md"};
  return fail(ErrorKind::usage, fmt::format("--format '{}': allowed are {}.{}", printable(text, 40),
                                            join(known, ", "), did_you_mean(text, known)));
}

std::string to_text(Table const& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = width_of(table.columns[i].header);
    for (auto const& row : table.rows) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
  }
  std::string text;
  auto const add_line = [&](auto const& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) line += "  ";
      line += padded(cell_at(i), widths[i], table.columns[i].is_number);
    }
    strip_trailing_blanks(line);
    text += line + "\n";
  };
  add_line([&](std::size_t i) { return table.columns[i].header; });
  for (auto const& row : table.rows) add_line([&](std::size_t i) { return row[i]; });
  return text;
}

std::string to_markdown(Table const& table) {
  std::string text = "|";
  for (Table::Column const& column : table.columns) text += " " + column.header + " |";
  text += "\n|";
  for (Table::Column const& column : table.columns) text += column.is_number ? "---:|" : "---|";
  text += "\n";
  for (auto const& row : table.rows) {
    text += "|";
    for (std::string const& cell : row) {
      std::string escaped;
      for (char const c : cell) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
      text += " " + escaped + " |";
    }
    text += "\n";
  }
  return text;
}

std::string to_csv(Table const& table) {
  std::string text;
  auto const add_line = [&](auto const& cells, auto const& text_of) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += (i > 0 ? "," : "") + csv_cell(text_of(cells[i]));
    text += "\r\n";
  };
  add_line(table.columns, [](Table::Column const& column) { return column.header; });
  for (auto const& row : table.rows) add_line(row, [](std::string const& cell) { return cell; });
  return text;
}

std::string time_text(double ns) {
  constexpr char const* kUnits[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (unit < 3 && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  int const digits = ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", ns, digits, kUnits[unit]);
}

}  // namespace zl::report
