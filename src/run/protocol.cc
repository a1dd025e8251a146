#include "run/protocol.h"

#include <csignal>

#include "base/json_words.h"

namespace zl::run {

namespace {

tl::unexpected<Error> broken(std::string text) {
  return fail(ErrorKind::usage, std::move(text));
}

std::string text_of(Json const& object, char const* name) {
  return string_field(object, name).value_or("");
}

std::string object_text(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  return value != nullptr && value->is_object() ? to_line(*value) : "";
}

std::string any_text(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  return value == nullptr ? "" : to_line(*value);
}

Result<Message> parse_hello(Json const& object) {
  std::optional<long long> const protocol = integer_field(object, "protocol");
  if (!protocol) return broken("hello without a protocol number");
  long long const signal = integer_field(object, "stack_signal").value_or(0);
  // Signals that would not be caught are no request for stacks.
  bool const is_signal = signal > 0 && signal < 64 && signal != SIGKILL && signal != SIGSTOP;
  return Hello{*protocol, text_of(object, "role"), object_text(object, "identity"),
               is_signal ? static_cast<int>(signal) : 0};
}

Result<Message> parse_case_begin(Json const& object) {
  CaseBegins message;
  message.begun.id = text_of(object, "case");
  if (message.begun.id.empty()) return broken("case_begin without a case");
  message.begun.node = text_of(object, "node");
  message.begun.name = text_of(object, "name");
  message.begun.dtype = text_of(object, "dtype");
  message.begun.shape_text = text_of(object, "shape_text");
  message.shape_json = any_text(object, "shape");
  return message;
}

Result<Message> parse_measurement(Json const& object) {
  results::Measurement m;
  m.case_id = text_of(object, "case");
  std::optional<results::Side> const side = results::parse_side(text_of(object, "side"));
  std::optional<double> const value_ns = number_field(object, "value_ns");
  if (!side) return broken("measurement of an unknown side");
  if (!value_ns || *value_ns <= 0) return broken("measurement without a value_ns above 0");
  m.side = *side;
  m.value_ns = *value_ns;
  m.caliber = text_of(object, "caliber");
  if (m.caliber.empty()) return broken("measurement without a caliber");
  m.ci_low_ns = number_field(object, "ci_low_ns");
  m.ci_high_ns = number_field(object, "ci_high_ns");
  m.samples = integer_field(object, "samples");
  m.timing_json = object_text(object, "timing");
  m.fallback = text_of(object, "fallback");
  m.host_ns = number_field(object, "host_ns");
  m.flags = words_field(object, "flags");
  Json raw = Json::object();
  if (Json const* const value = find_field(object, "raw")) raw = *value;
  if (Json const* const samples_ns = find_field(object, "samples_ns");
      samples_ns != nullptr && raw.is_object()) {
    raw["samples_ns"] = *samples_ns;
  }
  m.raw_json = to_line(raw);
  return m;
}

Result<Message> parse_case_end(Json const& object) {
  std::optional<results::CaseStatus> const status =
      results::parse_case_status(text_of(object, "status"));
  if (!status || *status == results::CaseStatus::running)
    return broken("case_end with an unknown status");
  return CaseEnds{text_of(object, "case"), *status, text_of(object, "phase"),
                  text_of(object, "error"), object_text(object, "metrics")};
}

Result<Message> parse_kernel(Json const& object) {
  std::optional<results::Side> const side = results::parse_side(text_of(object, "side"));
  if (!side) return broken("kernel of an unknown side");
  results::Kernel kernel;
  kernel.case_id = text_of(object, "case");
  kernel.side = *side;
  kernel.name = text_of(object, "name");
  kernel.hash = text_of(object, "hash");
  kernel.launched = bool_field(object, "launched").value_or(false);
  kernel.convert_layouts = integer_field(object, "convert_layouts");
  Json fields = object;
  fields.erase("type");
  kernel.fields_json = to_line(fields);
  return kernel;
}

Result<Message> parse_bye(Json const& object) {
  auto const count = [&](char const* name) { return integer_field(object, name).value_or(0); };
  return Bye{count("exit_status"),
             count("collected"),
             count("passed"),
             count("failed"),
             count("skipped"),
             text_of(object, "reason"),
             text_of(object, "failed_in")};
}

}  // namespace

Result<Message> parse_message(std::string_view line) {
  std::optional<Json> const object = parse_json(line);
  if (!object || !object->is_object()) return broken("not a JSON object");
  std::optional<std::string> const type = string_field(*object, "type");
  if (!type) return broken("an object without a type");
  if (*type == "hello") return parse_hello(*object);
  if (*type == "identity") return IdentityPart{object_text(*object, "identity")};
  if (*type == "phase") return PhaseBegins{text_of(*object, "case"), text_of(*object, "phase")};
  if (*type == "case_begin") return parse_case_begin(*object);
  if (*type == "measurement") return parse_measurement(*object);
  if (*type == "case_end") return parse_case_end(*object);
  if (*type == "kernel") return parse_kernel(*object);
  if (*type == "device_wanted") return AccessWanted{Access::shared};
  if (*type == "lease_wanted") return AccessWanted{Access::exclusive};
  if (*type == "device_released" || *type == "lease_released") return AccessWanted{Access::none};
  if (*type == "note") {
    return ChildNote{text_of(*object, "level"), text_of(*object, "code"), text_of(*object, "text")};
  }
  if (*type == "bye") return parse_bye(*object);
  return UnknownType{};
}

std::string granted_line(Access access) {
  return access == Access::exclusive ? "{\"type\":\"lease_granted\"}\n"
                                     : "{\"type\":\"device_granted\"}\n";
}
std::string stop_line() {
  return "{\"type\":\"stop\"}\n";
}

std::vector<LineSplitter::Line> LineSplitter::feed(std::string_view bytes) {
  std::vector<Line> lines;
  while (!bytes.empty()) {
    std::size_t const end = bytes.find('\n');
    bool const has_end = end != std::string_view::npos;
    std::string_view const part = bytes.substr(0, end);
    bytes.remove_prefix(has_end ? end + 1 : bytes.size());
    if (!is_skipping_) rest_ += part;
    if (rest_.size() > kMaxLineBytes) {
      is_skipping_ = true;
      rest_.clear();
    }
    if (!has_end) continue;
    lines.push_back({std::move(rest_), is_skipping_});
    rest_.clear();
    is_skipping_ = false;
  }
  return lines;
}

}  // namespace zl::run
