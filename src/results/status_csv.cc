#include "results/status_csv.h"

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
    text.insert(0, "'");
  }
  return csv_cell(text);
}

template <class T>
std::string optional_cell(std::optional<T> const& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

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
