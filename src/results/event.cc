#include "results/event.h"

#include "base/json_words.h"
#include "base/overloaded.h"

namespace zl::results {

namespace {

Json embedded(std::string const& text) {
  std::optional<Json> value = parse_json(text.empty() ? "{}" : text);
  return value ? *value : Json::object();
}

template <class T>
void put(Json& object, char const* name, std::optional<T> const& value) {
  if (value) object[name] = *value;
}
void put(Json& object, char const* name, std::string const& value) {
  if (!value.empty()) object[name] = value;
}

Json to_json(Measurement const& m) {
  Json object{{"case", m.case_id},
              {"side", to_text(m.side)},
              {"caliber", m.caliber},
              {"value_ns", m.value_ns}};
  put(object, "ci_low_ns", m.ci_low_ns);
  put(object, "ci_high_ns", m.ci_high_ns);
  put(object, "samples", m.samples);
  put(object, "fallback", m.fallback);
  put(object, "host_ns", m.host_ns);
  if (!m.flags.empty()) object["flags"] = m.flags;
  if (!m.raw_json.empty()) object["raw"] = embedded(m.raw_json);
  if (!m.timing_json.empty()) object["timing"] = embedded(m.timing_json);
  return object;
}

Json to_json(OpResult const& r) {
  Json object{{"op", r.op},
              {"node", r.node},
              {"status", to_text(r.status)},
              {"reason", r.reason},
              {"backend", r.backend},
              {"device", r.device},
              {"timer", r.timer},
              {"autotune", r.autotune},
              {"shapes", r.shapes},
              {"duration_s", r.duration_s},
              {"attempts", r.attempts},
              {"run_dir", r.run_dir}};
  put(object, "kernels", r.kernels);
  put(object, "cvt", r.convert_layouts);
  put(object, "speedup", r.speedup);
  put(object, "exit", r.exit_status);
  put(object, "signal", r.signal);
  put(object, "phase", r.phase);
  put(object, "cause", r.cause);
  if (!r.phase_times_s.empty()) object["phase_times_s"] = r.phase_times_s;
  return object;
}

Json to_json(Event const& event) {
  return std::visit(
      Overloaded{
          [](BatchBegun const& e) {
            return Json{{"event", "batch_begun"}, {"format", 1},
                        {"batch", e.batch},       {"tool", e.tool_version},
                        {"host", e.host},         {"time", e.time_utc},
                        {"total", e.total},       {"request", embedded(e.request_json)}};
          },
          [](BatchResumed const& e) {
            return Json{
                {"event", "batch_resumed"}, {"time", e.time_utc}, {"outstanding", e.outstanding}};
          },
          [](RunBegun const& e) {
            return Json{{"event", "run_begun"},   {"op", e.op},
                        {"attempt", e.attempt},   {"node", e.node},
                        {"provider", e.provider}, {"backend", e.backend},
                        {"device", e.device},     {"timer", e.timer},
                        {"run_dir", e.run_dir},   {"pid", e.pid}};
          },
          [](IdentityKnown const& e) {
            return Json{
                {"event", "identity"}, {"op", e.op}, {"identity", embedded(e.identity_json)}};
          },
          [](CaseBegun const& e) {
            Json object{{"event", "case_begun"},
                        {"op", e.op},
                        {"case", e.begun.id},
                        {"node", e.begun.node},
                        {"name", e.begun.name},
                        {"dtype", e.begun.dtype},
                        {"shape_text", e.begun.shape_text}};
            if (!e.shape_json.empty()) object["shape"] = embedded(e.shape_json);
            return object;
          },
          [](Measured const& e) {
            Json object = to_json(e.measurement);
            object["event"] = "measured";
            object["op"] = e.op;
            return object;
          },
          [](CaseEnded const& e) {
            Json object{{"event", "case_ended"},
                        {"op", e.op},
                        {"case", e.case_id},
                        {"status", to_text(e.status)}};
            put(object, "phase", e.phase);
            put(object, "error", e.error);
            if (!e.metrics_json.empty()) object["metrics"] = embedded(e.metrics_json);
            return object;
          },
          [](KernelSeen const& e) {
            Json object = embedded(e.kernel.fields_json);
            object["event"] = "kernel";
            object["op"] = e.op;
            return object;
          },
          [](Noted const& e) {
            return Json{{"event", "note"},
                        {"op", e.op},
                        {"level", e.level},
                        {"code", e.code},
                        {"text", e.text}};
          },
          [](AttemptEnded const& e) {
            return Json{{"event", "attempt_ended"}, {"op", e.op},
                        {"attempt", e.attempt},     {"status", to_text(e.status)},
                        {"reason", e.reason},       {"device", e.device},
                        {"cause", e.cause},         {"changes", e.changes}};
          },
          [](RunEnded const& e) {
            Json object = to_json(e.result);
            object["event"] = "run_ended";
            return object;
          },
          [](BatchEnded const& e) {
            return Json{{"event", "batch_ended"},
                        {"time", e.time_utc},
                        {"exit_code", e.exit_code},
                        {"why", e.why}};
          },
      },
      event);
}

std::string text_of(Json const& object, char const* name) {
  return string_field(object, name).value_or("");
}
std::string json_of(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  return value == nullptr ? "" : to_line(*value);
}

Result<Event> parse_measured(Json const& object) {
  Measurement m;
  std::optional<Side> const side = parse_side(text_of(object, "side"));
  std::optional<double> const value_ns = number_field(object, "value_ns");
  if (!side || !value_ns)
    return fail(ErrorKind::usage, "event 'measured' without side or value_ns");
  m.case_id = text_of(object, "case");
  m.side = *side;
  m.caliber = text_of(object, "caliber");
  m.value_ns = *value_ns;
  m.ci_low_ns = number_field(object, "ci_low_ns");
  m.ci_high_ns = number_field(object, "ci_high_ns");
  m.samples = integer_field(object, "samples");
  m.raw_json = json_of(object, "raw");
  m.timing_json = json_of(object, "timing");
  m.fallback = text_of(object, "fallback");
  m.flags = words_field(object, "flags");
  m.host_ns = number_field(object, "host_ns");
  return Measured{text_of(object, "op"), m};
}

Result<Event> parse_kernel(Json const& object) {
  std::optional<Side> const side = parse_side(text_of(object, "side"));
  if (!side) return fail(ErrorKind::usage, "event 'kernel' without a side");
  Kernel kernel;
  kernel.case_id = text_of(object, "case");
  kernel.side = *side;
  kernel.name = text_of(object, "name");
  kernel.hash = text_of(object, "hash");
  kernel.launched = bool_field(object, "launched").value_or(false);
  kernel.convert_layouts = integer_field(object, "convert_layouts");
  Json fields = object;
  fields.erase("event");
  fields.erase("op");
  kernel.fields_json = to_line(fields);
  return KernelSeen{text_of(object, "op"), kernel};
}

Result<Event> parse_run_ended(Json const& object) {
  OpResult r;
  std::optional<Status> const status = parse_status(text_of(object, "status"));
  if (!status) return fail(ErrorKind::usage, "event 'run_ended' with unknown status");
  r.op = text_of(object, "op");
  r.node = text_of(object, "node");
  r.status = *status;
  r.reason = text_of(object, "reason");
  r.backend = text_of(object, "backend");
  r.device = text_of(object, "device");
  r.timer = text_of(object, "timer");
  r.autotune = text_of(object, "autotune");
  r.shapes = static_cast<int>(integer_field(object, "shapes").value_or(0));
  if (auto const kernels = integer_field(object, "kernels")) r.kernels = static_cast<int>(*kernels);
  r.convert_layouts = integer_field(object, "cvt");
  r.speedup = number_field(object, "speedup");
  r.duration_s = number_field(object, "duration_s").value_or(0);
  r.attempts = static_cast<int>(integer_field(object, "attempts").value_or(1));
  r.run_dir = text_of(object, "run_dir");
  if (auto const code = integer_field(object, "exit")) r.exit_status = static_cast<int>(*code);
  if (auto const signal = integer_field(object, "signal")) r.signal = static_cast<int>(*signal);
  r.phase = text_of(object, "phase");
  r.cause = text_of(object, "cause");
  Json const* const times = find_field(object, "phase_times_s");
  if (times == nullptr || !times->is_object()) return RunEnded{r};
  for (auto const& [phase, unused] : times->items()) {
    if (auto const seconds = number_field(*times, phase.c_str())) r.phase_times_s[phase] = *seconds;
  }
  return RunEnded{r};
}

Result<Event> parse_attempt_ended(Json const& object) {
  std::optional<Status> const status = parse_status(text_of(object, "status"));
  if (!status) return fail(ErrorKind::usage, "event 'attempt_ended' with unknown status");
  return AttemptEnded{text_of(object, "op"),
                      static_cast<int>(integer_field(object, "attempt").value_or(1)),
                      *status,
                      text_of(object, "reason"),
                      text_of(object, "device"),
                      text_of(object, "cause"),
                      words_field(object, "changes")};
}

Result<Event> parse_case_begun(Json const& object) {
  CaseBegun e;
  e.op = text_of(object, "op");
  e.begun.id = text_of(object, "case");
  e.begun.node = text_of(object, "node");
  e.begun.name = text_of(object, "name");
  e.begun.dtype = text_of(object, "dtype");
  e.begun.shape_text = text_of(object, "shape_text");
  e.shape_json = json_of(object, "shape");
  return e;
}

Result<Event> parse_case_ended(Json const& object) {
  std::optional<CaseStatus> const status = parse_case_status(text_of(object, "status"));
  if (!status) return fail(ErrorKind::usage, "event 'case_ended' with unknown status");
  return CaseEnded{text_of(object, "op"),    text_of(object, "case"),  *status,
                   text_of(object, "phase"), text_of(object, "error"), json_of(object, "metrics")};
}

Result<Event> parse_batch_begun(Json const& object) {
  long long const format = integer_field(object, "format").value_or(0);
  if (format != 1) {
    return fail(ErrorKind::usage, "the event log has format " + std::to_string(format) +
                                      "; this zlbench reads format 1");
  }
  return BatchBegun{
      text_of(object, "batch"),   text_of(object, "tool"),
      text_of(object, "host"),    text_of(object, "time"),
      json_of(object, "request"), static_cast<int>(integer_field(object, "total").value_or(0))};
}

}  // namespace

std::string to_json_line(Event const& event) {
  return to_line(to_json(event));
}

Result<Event> parse_event(std::string_view line) {
  std::optional<Json> const object = parse_json(line);
  if (!object || !object->is_object()) return fail(ErrorKind::usage, "not a JSON object");
  std::string const kind = text_of(*object, "event");
  std::string const op = text_of(*object, "op");
  auto const number = [&](char const* name) { return integer_field(*object, name).value_or(0); };
  if (kind == "batch_begun") return parse_batch_begun(*object);
  if (kind == "batch_resumed") {
    return BatchResumed{text_of(*object, "time"), static_cast<int>(number("outstanding"))};
  }
  if (kind == "run_begun") {
    return RunBegun{op,
                    static_cast<int>(number("attempt")),
                    text_of(*object, "node"),
                    text_of(*object, "provider"),
                    text_of(*object, "backend"),
                    text_of(*object, "device"),
                    text_of(*object, "timer"),
                    text_of(*object, "run_dir"),
                    number("pid")};
  }
  if (kind == "identity") return IdentityKnown{op, json_of(*object, "identity")};
  if (kind == "case_begun") return parse_case_begun(*object);
  if (kind == "measured") return parse_measured(*object);
  if (kind == "case_ended") return parse_case_ended(*object);
  if (kind == "kernel") return parse_kernel(*object);
  if (kind == "note") {
    return Noted{op, text_of(*object, "level"), text_of(*object, "code"), text_of(*object, "text")};
  }
  if (kind == "attempt_ended") return parse_attempt_ended(*object);
  if (kind == "run_ended") return parse_run_ended(*object);
  if (kind == "batch_ended") {
    return BatchEnded{text_of(*object, "time"), static_cast<int>(number("exit_code")),
                      text_of(*object, "why")};
  }
  return fail(ErrorKind::usage, "unknown event '" + printable(kind, 40) + "'");
}

std::string measurement_line(Case const& in_case, Measurement const& measurement) {
  Json object = to_json(measurement);
  object["node"] = in_case.node;
  object["name"] = in_case.name;
  object["dtype"] = in_case.dtype;
  object["shape"] = in_case.shape_text;
  return to_line(object);
}

std::string kernel_line(Kernel const& kernel) {
  return to_line(embedded(kernel.fields_json));
}

}  // namespace zl::results
