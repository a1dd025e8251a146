#include "results/status_csv.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"

namespace zl::results {

namespace {

// Quoted when it must be; a cell that a spreadsheet would run as a formula gets a leading
// apostrophe.
std::string cell(std::string_view raw) {
  std::string text = printable(to_valid_utf8(raw), 2000);
  if (!text.empty() && (text[0] == '=' || text[0] == '@' || text[0] == '+' || text[0] == '-')) {
    text.insert(text.begin(), '\'');
  }
  return csv_cell(text);
}

template <class T>
std::string optional_cell(std::optional<T> const& value) {
  return value ? fmt::format("{}", *value) : "";
}

// The cells of one line; quotes as csv_cell() sets them.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char const c = line[i];
    bool const is_doubled = c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"';
    if (is_doubled) {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

std::vector<StatusFacts> parse_status_rows(std::string_view text) {
  std::vector<std::string> const lines = split(text, '\n');
  std::vector<std::string> const names = cells_of(lines.front());
  std::vector<StatusFacts> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::string> const cells = cells_of(lines[i]);
    if (cells.size() != names.size()) continue;
    auto const cell_of = [&](std::string_view name) -> std::string {
      auto const found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) return {};
      return cells[static_cast<std::size_t>(found - names.begin())];
    };
    double const duration_s = std::strtod(cell_of("duration_s").c_str(), nullptr);
    rows.push_back({cell_of("op"), cell_of("status"), cell_of("backend"), duration_s});
  }
  return rows;
}

std::string status_row(OpResult const& r) {
  std::string const speedup = r.speedup ? fmt::format("{:.4f}", *r.speedup) : "";
  return join({cell(r.op), cell(r.node), std::string(to_text(r.status)), cell(reason_text(r)),
               cell(r.backend), cell(r.device), cell(r.timer), cell(r.autotune),
               fmt::format("{}", r.shapes), optional_cell(r.kernels),
               optional_cell(r.convert_layouts), speedup, fmt::format("{:.3f}", r.duration_s),
               fmt::format("{}", r.attempts), cell(r.run_dir)},
              ",");
}

}  // namespace zl::results
