#include "report/cases.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json.h"

namespace zl::report {

namespace {

using results::Case;
using results::Measurement;

constexpr char const* kNothing = "-";

std::string ratio_text(std::optional<double> const& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : kNothing;
}

std::string side_text(std::optional<Measurement> const& measurement) {
  return measurement ? time_text(measurement->value_ns) : kNothing;
}

// Half the width of the interval of the median, in percent of it.
std::string interval_text(std::optional<Measurement> const& m) {
  if (!m || !m->ci_low_ns || !m->ci_high_ns) return kNothing;
  return fmt::format("{:.2f} %", 50.0 * (*m->ci_high_ns - *m->ci_low_ns) / m->value_ns);
}

std::string status_text(Case const& one) {
  std::string const status(results::to_text(one.status));
  if (one.error.empty()) return status;
  std::string const phase = one.phase.empty() ? "" : one.phase + ": ";
  return fmt::format("{} ({}{})", status, phase, printable(one.error, 100));
}

// What the timing engine made of the samples; null where another timer measured.
Json summary_of(Case const& one) {
  auto const& m = one.candidate ? one.candidate : one.baseline;
  std::optional<Json> const timing = parse_json(m ? m->timing_json : "");
  Json const* const summary = timing ? find_field(*timing, "summary") : nullptr;
  return summary == nullptr ? Json() : *summary;
}

std::string range_text(Case const& one, Json const&) {
  Json const metrics = parse_json(one.metrics_json).value_or(Json());
  std::optional<double> const low = number_field(metrics, "speedup_low");
  std::optional<double> const high = number_field(metrics, "speedup_high");
  return low && high && one.speedup() ? fmt::format("{:.3f}-{:.3f}", *low, *high) : kNothing;
}

std::string count_text(Case const&, Json const& summary) {
  if (!summary.is_object()) return kNothing;
  auto const count = [&](char const* name) { return integer_field(summary, name).value_or(0); };
  return fmt::format("{} ({}, {})", count("samples"), count("bursts"), count("visits"));
}

std::string clock_text(Case const&, Json const& summary) {
  std::optional<double> const mhz = number_field(summary, "clock_mhz");
  return mhz ? fmt::format("{:.0f}", *mhz) : kNothing;
}

// What only the baseline has is marked.
std::string flag_text(Case const& one, Json const&) {
  std::vector<std::string> words;
  if (one.candidate) words = one.candidate->flags;
  for (std::string const& flag : one.baseline ? one.baseline->flags : std::vector<std::string>()) {
    bool const is_shared = std::find(words.begin(), words.end(), flag) != words.end();
    if (!is_shared) words.push_back("baseline:" + flag);
  }
  return words.empty() ? kNothing : printable(join(words, " "), 100);
}

// Both sides' where they differ, which is why there is no ratio then.
std::string caliber_text(Case const& one, Json const&) {
  std::string const baseline = one.baseline ? one.baseline->caliber : "";
  std::string const candidate = one.candidate ? one.candidate->caliber : baseline;
  if (candidate.empty()) return kNothing;
  bool const is_one = baseline.empty() || baseline == candidate;
  return printable(is_one ? candidate : baseline + " | " + candidate, 200);
}

struct FurtherColumn {
  Table::Column column;
  std::string (*cell)(Case const& one, Json const& summary);
};

// Puts the columns before the last one.
void add_further_columns(std::vector<Case const*> const& cases, Table* table) {
  std::vector<FurtherColumn> const further{{{"speedup 95 %", true}, &range_text},
                                           {{"n (bursts, visits)", true}, &count_text},
                                           {{"MHz", true}, &clock_text},
                                           {{"flags"}, &flag_text},
                                           {{"caliber"}, &caliber_text}};
  std::vector<Json> summaries;
  for (Case const* const one : cases) summaries.push_back(summary_of(*one));
  bool const is_of_engine = std::any_of(summaries.begin(), summaries.end(),
                                        [](Json const& summary) { return summary.is_object(); });
  for (FurtherColumn const& one : further) {
    if (one.cell == &caliber_text && !is_of_engine) continue;
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      cells.push_back(one.cell(*cases[i], summaries[i]));
    }
    bool const is_empty = std::all_of(cells.begin(), cells.end(),
                                      [](std::string const& cell) { return cell == kNothing; });
    if (is_empty) continue;
    table->columns.insert(table->columns.end() - 1, one.column);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      table->rows[i].insert(table->rows[i].end() - 1, cells[i]);
    }
  }
}

}  // namespace

Table case_table(results::BatchState const& batch, std::string const& op) {
  Table table{{{"operator"},
               {"dtype"},
               {"shape"},
               {"baseline", true},
               {"candidate", true},
               {"speedup", true},
               {"+-", true},
               {"status"}},
              {}};
  std::vector<Case const*> cases;
  for (results::OpState const& state : batch.operators()) {
    if (!op.empty() && state.op != op) continue;
    for (Case const& one : state.cases) {
      cases.push_back(&one);
      table.rows.push_back({one.name.empty() ? state.op : one.name, one.dtype,
                            printable(one.shape_text, 60), side_text(one.baseline),
                            side_text(one.candidate), ratio_text(one.speedup()),
                            interval_text(one.candidate), status_text(one)});
    }
  }
  add_further_columns(cases, &table);
  return table;
}

}  // namespace zl::report
