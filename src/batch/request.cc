#include "batch/request.h"

#include <fmt/format.h>

#include "base/host.h"
#include "base/json.h"

namespace zl::batch {

namespace {

constexpr long long kFormat = 1;

char const* mode_text(run::ShapeChoice::Mode mode) {
  switch (mode) {
    case run::ShapeChoice::Mode::small:
      return "small";
    case run::ShapeChoice::Mode::file:
      return "file";
    case run::ShapeChoice::Mode::upstream:
      break;
  }
  return "upstream";
}

Json to_json(run::PlanOptions const& options) {
  return {{"level", options.level},
          {"dtypes", options.dtypes},
          {"timer", options.timer},
          {"shape_mode", mode_text(options.shapes.mode)},
          {"shape_max_elements", options.shapes.max_elements},
          {"shape_file", options.shapes.path},
          {"time_limit_s", options.time_limit_s},
          {"silence_s", options.silence_s},
          {"grace_s", options.grace_s},
          {"log_limit_bytes", options.log_limit_bytes},
          {"corpus_arguments", options.corpus_arguments}};
}

Json to_json(provider::ProviderCase const& operation) {
  return {{"op", operation.op},           {"provider", operation.provider},
          {"nodes", operation.nodes},     {"library", operation.library},
          {"problem", operation.problem}, {"stage", operation.stage}};
}

std::vector<std::string> strings(Json const& object, char const* name) {
  std::vector<std::string> result;
  Json const* const list = find_field(object, name);
  if (list == nullptr || !list->is_array()) return result;
  for (Json const& entry : *list) {
    if (entry.is_string()) result.push_back(entry.get<std::string>());
  }
  return result;
}

run::PlanOptions parse_options(Json const& object) {
  run::PlanOptions options;
  options.level = string_field(object, "level").value_or(options.level);
  options.dtypes = strings(object, "dtypes");
  options.timer = string_field(object, "timer").value_or(options.timer);
  std::string const mode = string_field(object, "shape_mode").value_or("upstream");
  if (mode == "small") options.shapes.mode = run::ShapeChoice::Mode::small;
  if (mode == "file") options.shapes.mode = run::ShapeChoice::Mode::file;
  options.shapes.max_elements = integer_field(object, "shape_max_elements").value_or(0);
  options.shapes.path = string_field(object, "shape_file").value_or("");
  options.time_limit_s = number_field(object, "time_limit_s").value_or(options.time_limit_s);
  options.silence_s = number_field(object, "silence_s").value_or(options.silence_s);
  options.grace_s = number_field(object, "grace_s").value_or(options.grace_s);
  if (auto const bytes = integer_field(object, "log_limit_bytes")) {
    options.log_limit_bytes = static_cast<std::uint64_t>(*bytes);
  }
  options.corpus_arguments = strings(object, "corpus_arguments");
  return options;
}

provider::ProviderCase parse_operation(Json const& object) {
  provider::ProviderCase operation;
  operation.op = string_field(object, "op").value_or("");
  operation.provider = string_field(object, "provider").value_or("");
  operation.nodes = strings(object, "nodes");
  operation.library = string_field(object, "library").value_or("");
  operation.problem = string_field(object, "problem").value_or("");
  operation.stage = string_field(object, "stage").value_or("");
  return operation;
}

}  // namespace

std::string to_json_text(BatchRequest const& request) {
  Json operations = Json::array();
  for (provider::ProviderCase const& operation : request.operations)
    operations.push_back(to_json(operation));
  Json const json{{"format", kFormat},
                  {"tool", own_version()},
                  {"host", host_facts()},
                  {"batch", request.name},
                  {"created", request.created_utc},
                  {"backend", request.backend},
                  {"backend_dirs", request.backend_dirs},
                  {"shard", request.shard},
                  {"devices", request.devices},
                  {"provider", request.provider},
                  {"corpus", request.corpus},
                  {"python", request.python},
                  {"options", to_json(request.options)},
                  {"operators", operations}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BatchRequest> parse_batch_request(std::string_view text, std::string const& origin) {
  std::optional<Json> const json = parse_json(text);
  if (!json || !json->is_object())
    return fail(ErrorKind::environment, origin + ": not a JSON object");
  long long const format = integer_field(*json, "format").value_or(0);
  if (format != kFormat) {
    return fail(
        ErrorKind::environment,
        fmt::format("{}: field 'format' is {}; this zlbench reads {}", origin, format, kFormat));
  }
  BatchRequest request;
  auto const text_of = [&](char const* name) { return string_field(*json, name).value_or(""); };
  request.name = text_of("batch");
  request.created_utc = text_of("created");
  request.backend = text_of("backend");
  request.backend_dirs = strings(*json, "backend_dirs");
  request.shard = text_of("shard");
  request.devices = text_of("devices");
  request.provider = text_of("provider");
  request.corpus = text_of("corpus");
  request.python = text_of("python");
  if (Json const* const options = find_field(*json, "options"))
    request.options = parse_options(*options);
  Json const* const operations = find_field(*json, "operators");
  if (operations == nullptr || !operations->is_array()) {
    return fail(ErrorKind::environment, origin + ": field 'operators' is missing or not a list");
  }
  for (Json const& entry : *operations) {
    request.operations.push_back(parse_operation(entry));
    if (request.operations.back().op.empty()) {
      return fail(ErrorKind::environment, origin + ": field 'operators': an entry without 'op'");
    }
  }
  return request;
}

}  // namespace zl::batch
