#include "cli/recompute.h"

#include <fmt/format.h>
#include <optional>

#include "base/json.h"
#include "timing/pair.h"
#include "timing/record_json.h"

namespace zl::cli {

namespace {

using results::Case;
using results::Measurement;
using timing::Record;

class Comparison {
 public:
  // `where` names the case and the side.
  void record(std::string const& where, Measurement const& m, std::optional<Record>* parsed) {
    std::optional<Json> const stored = parse_json(m.timing_json);
    Json const* const text = stored ? find_field(*stored, "record") : nullptr;
    if (text == nullptr) return;
    ++result_.records;
    *parsed = timing::parse_record(to_line(*text));
    auto const summary = *parsed ? timing::summarise(**parsed) : std::nullopt;
    if (!summary) {
      differs(where + " record", "no record that can be summarised", "nothing");
      return;
    }
    Json const again = *parse_json(timing::to_json_line(*summary));
    Json const* const told = find_field(*stored, "summary");
    compare(where, told == nullptr ? Json::object() : *told, again);
    Json const& ci95_ns = again.at("ci95_ns");
    same(where + " value_ns", m.value_ns, again.at("value_ns"));
    if (m.ci_low_ns) same(where + " ci_low_ns", *m.ci_low_ns, part(ci95_ns, 0));
    if (m.ci_high_ns) same(where + " ci_high_ns", *m.ci_high_ns, part(ci95_ns, 1));
    if (m.samples) same(where + " samples", *m.samples, again.at("samples"));
    if (m.host_ns) same(where + " host_ns", *m.host_ns, again.at("host_ns"));
  }

  void pair(std::string const& where, Case const& one, Record const& baseline,
            Record const& candidate) {
    Json const metrics = parse_json(one.metrics_json).value_or(Json());
    auto const pair = timing::summarise_pair(baseline, candidate);
    Json const again = pair ? *parse_json(timing::to_json_line(*pair)) : Json();
    for (char const* const name : {"speedup_low", "speedup_high"}) {
      Json const* const told = find_field(metrics, name);
      Json const* const computed = find_field(again, name);
      if (told != nullptr)
        same(where + " " + name, *told, computed == nullptr ? Json() : *computed);
    }
  }

  Recomputed const& result() const { return result_; }

 private:
  static Json part(Json const& list, std::size_t index) {
    return list.is_array() ? list.at(index) : Json();
  }

  // Every field of the one that the samples give, and none beside them.
  void compare(std::string const& where, Json const& told, Json const& again) {
    for (auto const& [name, value] : again.items()) {
      Json const* const other = find_field(told, name.c_str());
      same(where + " " + name, other == nullptr ? Json() : *other, value);
    }
    if (!told.is_object()) return;
    for (auto const& [name, value] : told.items()) {
      if (find_field(again, name.c_str()) == nullptr) same(where + " " + name, value, Json());
    }
  }

  // Texts of numbers are as exact as the numbers, and tell 0 from -0 and 5 from 5.0.
  void same(std::string const& what, Json const& told, Json const& again) {
    if (told == again && to_line(told) == to_line(again)) {
      ++result_.numbers;
      ++result_.agreeing;
    } else {
      differs(what, to_line(told), to_line(again));
    }
  }

  void differs(std::string const& what, std::string const& told, std::string const& again) {
    ++result_.numbers;
    if (!result_.first_difference.empty()) return;
    result_.first_difference = fmt::format("{} is {}, its samples give {}", what,
                                           printable(told, 100), printable(again, 100));
  }

  Recomputed result_;
};

}  // namespace

Recomputed recompute(results::BatchState const& batch, std::string const& op) {
  Comparison comparison;
  for (results::OpState const& state : batch.operators()) {
    if (!op.empty() && state.op != op) continue;
    for (Case const& one : state.cases) {
      std::string const where = fmt::format("{} case {}:", state.op, printable(one.id, 120));
      std::optional<Record> baseline;
      std::optional<Record> candidate;
      if (one.baseline) comparison.record(where + " baseline", *one.baseline, &baseline);
      if (one.candidate) comparison.record(where + " candidate", *one.candidate, &candidate);
      if (baseline && candidate) comparison.pair(where, one, *baseline, *candidate);
    }
  }
  return comparison.result();
}

std::string to_text(Recomputed const& result) {
  return fmt::format("{} of {} numbers of {} records are the same to the last bit\n",
                     result.agreeing, result.numbers, result.records);
}

std::string to_json_text(Recomputed const& result) {
  Json json{{"format", 1},
            {"records", result.records},
            {"numbers", result.numbers},
            {"agreeing", result.agreeing}};
  if (!result.first_difference.empty()) json["first_difference"] = result.first_difference;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace zl::cli
