// backends, devices, ops: what there is.
#include <fmt/format.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/operations.h"
#include "report/table.h"
#include "run/timer_choice.h"

namespace zl::cli {

namespace {

std::vector<std::string> capability_names(backend::Descriptor const& backend) {
  std::vector<std::string> names;
  for (auto const& [name, has] : backend.capabilities) {
    if (has) names.push_back(name);
  }
  return names;
}

std::vector<std::string> visibility_names(backend::Descriptor const& backend) {
  std::vector<std::string> names;
  for (backend::VisibilityVariable const& variable : backend.visibility)
    names.push_back(variable.name);
  return names;
}

std::string or_dash(std::string const& text) {
  return text.empty() ? "-" : text;
}

std::string gib_text(std::optional<std::uint64_t> const& bytes) {
  return bytes ? fmt::format("{:.1f}", static_cast<double>(*bytes) / (1ull << 30)) : "-";
}

// Presence leaves out the hosts: they are asked here, which costs no more than a file.
int count_here(Context const& context, backend::Descriptor const& backend,
               std::vector<backend::Presence> const& presence) {
  for (backend::Presence const& entry : presence) {
    if (entry.backend == backend.name) return entry.devices;
  }
  return static_cast<int>(backend::enumerate_devices(backend, context.probe()).devices.size());
}

Json backend_json(backend::Descriptor const& backend, int here) {
  return {{"name", backend.name},
          {"aliases", backend.aliases},
          {"vendor", backend.vendor.empty() ? Json(nullptr) : Json(backend.vendor)},
          {"verified", backend.verified},
          {"devices_here", here},
          {"timer", run::best_timer(backend).name},
          {"capabilities", backend.capabilities},
          {"visibility", visibility_names(backend)},
          {"descriptor", backend.origin}};
}

struct FoundDevices {
  backend::Descriptor const* backend;
  backend::Enumeration enumeration;
  std::vector<backend::Device> visible;
};

FoundDevices with_visible(Context const& context, backend::Descriptor const& backend,
                          backend::Enumeration enumeration) {
  FoundDevices found{&backend, std::move(enumeration), {}};
  Result<backend::VisibleDevices> visible =
      backend::visible_devices(backend, found.enumeration.devices, context.environment);
  if (visible) {
    found.visible = std::move(visible->devices);
    found.enumeration.notes.insert(found.enumeration.notes.end(), visible->notes.begin(),
                                   visible->notes.end());
  } else {
    found.enumeration.notes.push_back(visible.error().text);
  }
  return found;
}

bool is_visible(FoundDevices const& found, backend::Device const& device) {
  for (backend::Device const& other : found.visible) {
    if (other.index == device.index) return true;
  }
  return false;
}

// The backend asked for, or every backend with devices here, or the host. Every source is asked
// once, so that the whole costs one time limit; what failed at a backend that is not here is told.
Result<std::vector<FoundDevices>> find_devices(Context const& context) {
  std::vector<backend::Descriptor const*> asked;
  backend::Descriptor const* host = nullptr;
  for (backend::Descriptor const& backend : context.registry.all()) {
    if (!backend.is_host()) asked.push_back(&backend);
    if (backend.is_plain_host()) host = &backend;
  }
  bool const is_named = !context.options.backend.empty();
  if (is_named) {
    auto const backend = context.registry.find(context.options.backend);
    if (!backend) return tl::unexpected<Error>(backend.error());
    asked = {*backend};
  }
  std::vector<FoundDevices> found;
  std::vector<backend::Enumeration> all = backend::enumerate_devices(asked, context.probe());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_named || !all[i].devices.empty()) {
      found.push_back(with_visible(context, *asked[i], std::move(all[i])));
    } else {
      print_notes(all[i].failures);
    }
  }
  if (found.empty() && host != nullptr) {
    found.push_back(
        with_visible(context, *host, backend::enumerate_devices(*host, context.probe())));
  }
  return found;
}

std::string number_text(std::optional<double> const& value) {
  return value ? fmt::format("{:.0f}", *value) : "-";
}

report::Table device_table() {
  return {{{"backend"},
           {"index", true},
           {"name"},
           {"arch"},
           {"memory GiB", true},
           {"free GiB", true},
           {"busy", true},
           {"MHz", true},
           {"C", true},
           {"W", true},
           {"health"},
           {"pci"},
           {"uuid"},
           {"visible"}},
          {}};
}

std::vector<std::string> device_row(FoundDevices const& found, backend::Device const& device,
                                    bool visible) {
  backend::DeviceReadings const& readings = device.readings;
  return {found.backend->name,
          std::to_string(device.index),
          device.name.value_or("-"),
          device.architecture.value_or("-"),
          gib_text(device.memory_total_bytes),
          gib_text(device.memory_free_bytes),
          device.busy_processes ? std::to_string(*device.busy_processes) : "-",
          number_text(readings.clock_mhz),
          number_text(readings.temperature_c),
          number_text(readings.power_w),
          readings.health.value_or("-"),
          device.pci.value_or("-"),
          device.uuid.value_or("-"),
          visible ? "yes" : "no"};
}

bool matches(std::string const& pattern, std::string const& name) {
  if (pattern.empty()) return true;
  if (pattern.find_first_of("*?[") != std::string::npos) return glob_matches(pattern, name);
  return name.find(pattern) != std::string::npos;
}

Json case_json(provider::ProviderCase const& operation) {
  Json object{{"op", operation.op}, {"nodes", operation.all_nodes}, {"run_nodes", operation.nodes}};
  if (!operation.stage.empty()) object["stage"] = operation.stage;
  if (!operation.library.empty()) object["library"] = operation.library;
  if (!operation.problem.empty()) object["problem"] = operation.problem;
  if (!operation.suggestions.empty()) object["suggestions"] = operation.suggestions;
  if (!operation.notes.empty()) object["notes"] = operation.notes;
  return object;
}

// The catalogue needs no device, so ops decides on the provider by the corpus alone.
Result<std::string> provider_for_ops(Context const& context) {
  backend::Descriptor const* host = nullptr;
  for (backend::Descriptor const& backend : context.registry.all()) {
    if (backend.is_plain_host()) host = &backend;
  }
  ZL_CHECK(host != nullptr, "the compiled-in descriptors have the host");
  return choose_provider(context, *host);
}

}  // namespace

Result<int> run_backends(Context const& context) {
  std::vector<backend::Presence> const presence =
      backend::present_backends(context.registry, context.probe());
  for (backend::Presence const& entry : presence) print_notes(entry.failures);
  Json list = Json::array();
  report::Table table{{{"backend"},
                       {"here", true},
                       {"timer"},
                       {"vendor"},
                       {"verified"},
                       {"aliases"},
                       {"visibility"},
                       {"capabilities"}},
                      {}};
  for (backend::Descriptor const& backend : context.registry.all()) {
    int const here = count_here(context, backend, presence);
    list.push_back(backend_json(backend, here));
    table.rows.push_back({backend.name, std::to_string(here), run::best_timer(backend).name,
                          or_dash(backend.vendor), backend.verified ? "yes" : "no",
                          or_dash(join(backend.aliases, ",")),
                          or_dash(join(visibility_names(backend), ",")),
                          or_dash(join(capability_names(backend), ","))});
  }
  print_out(context.options.json ? list.dump(2) + "\n" : report::to_text(table));
  return kOk;
}

Result<int> run_devices(Context const& context) {
  Result<std::vector<FoundDevices>> const all = find_devices(context);
  if (!all) return tl::unexpected<Error>(all.error());
  Json list = Json::array();
  report::Table table = device_table();
  for (FoundDevices const& found : *all) {
    print_notes(found.enumeration.notes);
    for (backend::Device const& device : found.enumeration.devices) {
      bool const visible = is_visible(found, device);
      Json object = backend::to_json_with_readings(device);
      object.update({{"backend", found.backend->name},
                     {"source", found.enumeration.source},
                     {"visible", visible}});
      list.push_back(object);
      table.rows.push_back(device_row(found, device, visible));
    }
  }
  bool const is_empty = list.empty();
  print_out(context.options.json ? list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                                 : report::to_text(table));
  return is_empty ? kNothingSelected : kOk;
}

Result<int> run_ops(Context const& context) {
  Result<std::string> const provider = provider_for_ops(context);
  if (!provider) return tl::unexpected<Error>(provider.error());
  auto const kind =
      context.options.kind == "tests" ? provider::NodeKind::tests : provider::NodeKind::benchmark;
  Result<Catalogue> const catalogue = open_catalogue(context, *provider, kind);
  if (!catalogue) return tl::unexpected<Error>(catalogue.error());
  print_notes(catalogue->notes);
  Json list = Json::array();
  report::Table table{{{"operator"}, {"stage"}, {"node"}}, {}};
  for (std::string const& name : catalogue->names) {
    if (!matches(context.options.pattern, name)) continue;
    provider::ProviderCase const operation = catalogue->find(name);
    if (context.options.json) list.push_back(case_json(operation));
    std::string const node =
        operation.problem.empty() ? join(operation.nodes, " ") : "none: " + operation.problem;
    table.rows.push_back({name, or_dash(operation.stage), node});
  }
  if (table.rows.empty()) {
    return fail(ErrorKind::nothing_selected,
                fmt::format("no operator matches '{}'.{}", printable(context.options.pattern, 60),
                            did_you_mean(context.options.pattern, catalogue->names)));
  }
  print_out(context.options.json ? list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"
                                 : report::to_text(table));
  return kOk;
}

}  // namespace zl::cli
