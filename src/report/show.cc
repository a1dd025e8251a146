#include "report/show.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/json.h"
#include "base/terminal.h"

namespace zl::report {

namespace {

using results::BatchState;
using results::Case;
using results::OpResult;
using results::OpState;

std::string plural(long long count, char const* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string ratio_text(std::optional<double> const& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "-";
}

std::string status_of(OpState const& state) {
  return state.result ? std::string(results::to_text(state.result->status)) : "running";
}

std::string number_pair(std::optional<long long> const& before,
                        std::optional<long long> const& after) {
  auto const text = [](std::optional<long long> const& n) {
    return n ? std::to_string(*n) : std::string("?");
  };
  if (before == after) return text(before);
  return text(before) + " -> " + text(after);
}

std::optional<long long> widened(std::optional<int> const& value) {
  return value ? std::optional<long long>(*value) : std::nullopt;
}

// "10 shapes, 10 kernels, cvt 10 -> 2": numbers that did not change stand once.
std::string pair_text(OpResult const& before, OpResult const& after) {
  std::string text = number_pair(before.shapes, after.shapes) + " shapes";
  if (!before.kernels && !after.kernels) return text;
  text += ", " + number_pair(widened(before.kernels), widened(after.kernels)) + " kernels";
  if (!before.convert_layouts && !after.convert_layouts) return text;
  auto const count = [](std::optional<long long> const& n) {
    return n ? std::to_string(*n) : std::string("?");
  };
  return text + ", cvt " + count(before.convert_layouts) + " -> " + count(after.convert_layouts);
}

void add_measurement(Json& object, char const* name, std::optional<results::Measurement> const& m) {
  if (!m) return;
  object[name] = {{"value_ns", m->value_ns}, {"caliber", m->caliber}};
  if (m->ci_low_ns) object[name]["ci_low_ns"] = *m->ci_low_ns;
  if (m->ci_high_ns) object[name]["ci_high_ns"] = *m->ci_high_ns;
  if (m->samples) object[name]["samples"] = *m->samples;
  if (m->host_ns) object[name]["host_ns"] = *m->host_ns;
  if (!m->fallback.empty()) object[name]["fallback"] = m->fallback;
  if (!m->flags.empty()) object[name]["flags"] = m->flags;
  std::optional<Json> const timing = parse_json(m->timing_json.empty() ? "{}" : m->timing_json);
  for (char const* const part : {"summary", "census"}) {  // the record is in measurements.jsonl
    Json const* const found = timing ? find_field(*timing, part) : nullptr;
    if (found != nullptr) object[name][part] = *found;
  }
}

Json case_json(Case const& one) {
  Json object{{"case", one.id},          {"node", one.node},
              {"name", one.name},        {"dtype", one.dtype},
              {"shape", one.shape_text}, {"status", results::to_text(one.status)}};
  if (!one.phase.empty()) object["phase"] = one.phase;
  if (!one.error.empty()) object["error"] = one.error;
  add_measurement(object, "baseline", one.baseline);
  add_measurement(object, "candidate", one.candidate);
  if (std::optional<double> const speedup = one.speedup()) object["speedup"] = *speedup;
  std::optional<Json> const metrics =
      parse_json(one.metrics_json.empty() ? "{}" : one.metrics_json);
  if (metrics && !metrics->empty()) object["metrics"] = *metrics;
  return object;
}

Json operator_json(OpState const& state) {
  Json object{{"op", state.op}, {"status", status_of(state)}};
  if (state.result) {
    // The row as the log has it, without what makes it an event.
    Json row = *parse_json(results::to_json_line(results::RunEnded{*state.result}));
    row.erase("event");
    object.update(row);
  }
  object["cases"] = Json::array();
  for (Case const& one : state.cases) object["cases"].push_back(case_json(one));
  object["notes"] = Json::array();
  for (results::Noted const& note : state.notes) {
    object["notes"].push_back({{"level", note.level}, {"code", note.code}, {"text", note.text}});
  }
  return object;
}

}  // namespace

std::string kernel_text(OpResult const& result) {
  std::string text = plural(result.shapes, "shape");
  if (!result.kernels) return text;
  text += ", " + plural(*result.kernels, "kernel");
  if (result.convert_layouts) text += fmt::format(", cvt {}", *result.convert_layouts);
  return text;
}

Table operator_table(BatchState const& batch) {
  Table table{{{"operator"},
               {"status"},
               {"speedup", true},
               {"measured"},
               {"time", true},
               {"dev", true},
               {"reason"}},
              {}};
  for (OpState const& state : batch.operators()) {
    OpResult const row = state.result.value_or(OpResult{});
    table.rows.push_back({state.op, status_of(state), ratio_text(row.speedup), kernel_text(row),
                          state.result ? duration_text(row.duration_s) : "-",
                          row.device.empty() ? "-" : row.device,
                          printable(results::reason_text(row), 160)});
  }
  return table;
}

Table pair_table(BatchState const& before, BatchState const& after) {
  Table table{{{"operator"}, {"status"}, {"measured"}}, {}};
  for (OpState const& state : before.operators()) {
    OpState const* const other = after.find(state.op);
    std::string const old_status = status_of(state);
    std::string const new_status = other == nullptr ? "absent" : status_of(*other);
    std::string const measured = other == nullptr || !state.result || !other->result
                                     ? "-"
                                     : pair_text(*state.result, *other->result);
    table.rows.push_back({state.op,
                          old_status == new_status ? old_status : old_status + " -> " + new_status,
                          measured});
  }
  for (OpState const& state : after.operators()) {
    if (before.find(state.op) == nullptr)
      table.rows.push_back({state.op, "absent -> " + status_of(state), "-"});
  }
  return table;
}

std::string to_json_text(BatchState const& batch, std::string const& folder) {
  Json object{
      {"format", 1}, {"folder", folder}, {"operators", Json::array()}, {"notes", Json::array()}};
  if (batch.begun()) {
    object["batch"] = batch.begun()->batch;
    object["tool"] = batch.begun()->tool_version;
    object["host"] = batch.begun()->host;
    object["time"] = batch.begun()->time_utc;
  }
  if (batch.ended())
    object["ended"] = {{"why", batch.ended()->why}, {"exit_code", batch.ended()->exit_code}};
  for (OpState const& state : batch.operators())
    object["operators"].push_back(operator_json(state));
  for (results::Noted const& note : batch.notes()) object["notes"].push_back(note.text);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary_line(BatchState const& batch) {
  std::map<std::string, int> counts;
  for (OpState const& state : batch.operators()) ++counts[status_of(state)];
  std::vector<std::string> parts;
  for (auto const& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, status));
  return plural(static_cast<long long>(batch.operators().size()), "operator") + ": " +
         join(parts, ", ");
}

}  // namespace zl::report
