// The two written forms of a plan: JSON for the child and for programs, text for people.
#include <fmt/format.h>

#include "base/json.h"
#include "run/plan.h"

namespace zl::run {

namespace {

Json shapes_json(ShapeChoice const& shapes) {
  switch (shapes.mode) {
    case ShapeChoice::Mode::small:
      return {{"mode", "small"}, {"max_elements", shapes.max_elements}};
    case ShapeChoice::Mode::file:
      return {{"mode", "file"}, {"path", shapes.path}};
    case ShapeChoice::Mode::upstream:
      break;
  }
  return {{"mode", "upstream"}};
}

Json backend_json(backend::Descriptor const& backend, std::string const& reason) {
  Json overrides = Json::array();
  for (backend::OverrideVariable const& variable : backend.override_variables) {
    overrides.push_back(variable.name);
  }
  Json capabilities = Json::object();
  for (auto const& [name, has] : backend.capabilities) capabilities[name] = has;
  return {{"name", backend.name},
          {"chosen_by", reason},
          {"vendor", backend.vendor},
          {"torch_device", backend.torch_device},
          {"torch_module", backend.torch_module ? Json(*backend.torch_module) : Json(nullptr)},
          {"capabilities", capabilities},
          {"vendor_variables", backend.vendor_variables},
          {"override_variables", overrides},
          {"verified", backend.verified},
          {"descriptor", backend.origin}};
}

Json device_json(std::optional<backend::Device> const& device) {
  return device ? backend::to_json(*device) : Json(nullptr);
}

Json engine_json(std::optional<EngineChoice> const& engine) {
  if (!engine) return Json(nullptr);
  return {{"library", engine->library.string()},
          {"family", engine->runtime.family},
          {"libraries", engine->runtime.libraries},
          {"required", engine->is_required}};
}

}  // namespace

std::string to_json_text(Plan const& plan) {
  Json plugins = Json::array();
  for (PluginChoice const& plugin : plan.plugins) {
    plugins.push_back(
        {{"name", plugin.name},
         {"loaded", plugin.loaded},
         {"capability", plugin.capability.empty() ? Json(nullptr) : Json(plugin.capability)},
         {"reason", plugin.reason}});
  }
  Json environment = Json::array();
  for (VariableChange const& change : plan.environment) {
    environment.push_back({{"name", change.name},
                           {"value", change.value ? Json(*change.value) : Json(nullptr)},
                           {"reason", change.reason}});
  }
  Json const json{{"format", 1},
                  {"operator", plan.op},
                  {"provider", plan.provider},
                  {"nodes", plan.nodes},
                  {"argv", plan.argv},
                  {"working_directory", plan.working_directory.string()},
                  {"environment", environment},
                  {"plugins", plugins},
                  {"backend", backend_json(*plan.backend, plan.backend_reason)},
                  {"known_vendors", plan.known_vendors},
                  {"device", device_json(plan.device)},
                  {"seat", {{"index", plan.seat.index}, {"of", plan.seat.of}}},
                  {"timer", plan.timer},
                  {"engine", engine_json(plan.engine)},
                  {"shapes", shapes_json(plan.options.shapes)},
                  {"level", plan.options.level},
                  {"dtypes", plan.options.dtypes},
                  {"limits",
                   {{"time_limit_s", plan.options.time_limit_s},
                    {"silence_s", plan.options.silence_s},
                    {"grace_s", plan.options.grace_s},
                    {"log_limit_bytes", plan.options.log_limit_bytes}}},
                  {"run_dir", plan.run_dir.string()},
                  {"bytecode_folder", plan.bytecode_folder.string()},
                  {"notes", plan.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(Plan const& plan) {
  std::string text = fmt::format("operator   {} ({})\n", plan.op, plan.provider);
  for (std::string const& node : plan.nodes) text += fmt::format("node       {}\n", node);
  std::string device = "none";
  if (plan.device) {
    device = fmt::format("{} {} {}", plan.device->index, plan.device->name.value_or(""),
                         plan.device->uuid.value_or(""));
  }
  text += fmt::format("backend    {} (vendor {})\n", plan.backend->name,
                      plan.backend->vendor.empty() ? "none" : plan.backend->vendor);
  text += fmt::format("device     {}\n", trim(device));
  text += fmt::format("seat       {} of {} on this device\n", plan.seat.index + 1, plan.seat.of);
  text += fmt::format("timer      {} ({})\n", plan.timer, plan.timer_reason);
  text += fmt::format("limits     {:g} s, then TERM, {:g} s later KILL; log {} MiB\n",
                      plan.options.time_limit_s, plan.options.grace_s,
                      plan.options.log_limit_bytes >> 20);
  text += fmt::format("folder     {}\n", plan.working_directory.string());
  text += "\nplug-ins\n";
  if (plan.plugins.empty()) text += "  none: the native runner needs none\n";
  for (PluginChoice const& plugin : plan.plugins) {
    text += fmt::format("  {} {:<15} {}\n", plugin.loaded ? "load" : "omit", plugin.name,
                        plugin.reason);
  }
  text += "\nenvironment, changes only\n";
  for (VariableChange const& change : plan.environment) {
    text += change.value ? fmt::format("  {}={}", change.name, shell_quote(*change.value))
                         : fmt::format("  unset {}", change.name);
    text += fmt::format("   # {}\n", change.reason);
  }
  text += "\ncommand\n ";
  for (std::string const& word : plan.argv) text += " " + shell_quote(word);
  text += "\n";
  for (std::string const& note : plan.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace zl::run
