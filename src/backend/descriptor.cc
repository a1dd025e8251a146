#include "backend/descriptor.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "backend/field_reader.h"
#include "backend/source.h"
#include "backend/yaml_tree.h"
#include "base/text.h"

namespace zl::backend {

namespace {

using Visibility = VisibilityVariable;

bool consists_of(std::string_view text, std::string_view extra) {
  auto const fits = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           extra.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_variable_name(std::string_view text) {
  return consists_of(text, "_") && std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

bool is_backend_name(std::string_view text) {
  return consists_of(text, "_-") && to_lower(text) == text;
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == 2 + digits && starts_with(text, "0x") &&
         text.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

std::string variable_name(FieldReader const& fields, std::string_view field) {
  std::string name = fields.text(field, Need::required);
  if (!is_variable_name(name)) {
    fields.refuse(field, fmt::format("'{}' is not a variable's name; allowed: letters, digits, _",
                                     printable(name)));
  }
  return name;
}

void read_names(FieldReader const& fields, Descriptor& result) {
  char const* const allowed = "allowed: lower-case letters, digits, _ and -";
  result.name = fields.text("name", Need::required);
  if (!is_backend_name(result.name)) {
    fields.refuse("name",
                  fmt::format("'{}' is no backend name; {}", printable(result.name), allowed));
  }
  result.aliases = fields.texts("aliases", Need::optional);
  for (std::string const& alias : result.aliases) {
    if (is_backend_name(alias)) continue;
    fields.refuse("aliases", fmt::format("'{}' is no alias; {}", printable(alias), allowed));
  }
  result.vendor = fields.text("vendor_name", Need::optional);
  if (!result.vendor.empty() && !is_backend_name(result.vendor)) {
    fields.refuse("vendor_name",
                  fmt::format("'{}' is no vendor name; {}", printable(result.vendor), allowed));
  }
  result.verified = fields.yes_no("verified", Need::required);
}

void read_framework(FieldReader const& fields, Descriptor& result) {
  result.torch_device = fields.text("device_name", Need::required);
  if (fields.has("torch_module")) {
    result.torch_module = fields.text("torch_module", Need::required);
    if (!consists_of(*result.torch_module, "_.")) {
      fields.refuse("torch_module",
                    fmt::format("'{}' is not a Python module", printable(*result.torch_module)));
    }
  }
  result.vendor_variables = fields.texts("vendor_variables", Need::optional);
  for (std::string const& name : result.vendor_variables) {
    if (is_variable_name(name)) continue;
    fields.refuse(
        "vendor_variables",
        fmt::format("'{}' is not a variable's name; allowed: letters, digits, _", printable(name)));
  }
  if (!result.vendor.empty() && result.vendor_variables.empty()) {
    fields.refuse("vendor_variables",
                  "missing; a backend with a vendor_name needs at least one variable to put it in");
  }
  result.module_roots = fields.texts("module_roots", Need::optional);
  if (!fields.has("module_roots") && !result.vendor.empty()) {
    result.module_roots = {"_" + result.vendor};
  }
}

void read_child_variables(FieldReader const& fields, Descriptor& result) {
  for (FieldReader const& entry :
       fields.groups("override_variables", Need::optional, {"name", "reason"})) {
    result.override_variables.push_back(
        {variable_name(entry, "name"), entry.text("reason", Need::required)});
  }
  for (FieldReader const& entry :
       fields.groups("fixed_variables", Need::optional, {"name", "value", "reason"})) {
    result.fixed_variables.push_back({variable_name(entry, "name"),
                                      entry.text("value", Need::required),
                                      entry.text("reason", Need::required)});
  }
}

Visibility read_variable(FieldReader const& entry) {
  Visibility result;
  result.name = variable_name(entry, "name");
  if (!entry.has("empty")) entry.refuse("empty", "missing; needs none or no_filter");
  result.empty = entry.word<Visibility::Empty>(
      "empty", {{"none", Visibility::Empty::none}, {"no_filter", Visibility::Empty::no_filter}});
  result.accepts_uuid = entry.yes_no("accepts_uuid", Need::required);
  result.uuid_prefix = entry.text("uuid_prefix", Need::optional);
  result.uuid_match = entry.word<Visibility::UuidMatch>(
      "uuid_match", {{"prefix", Visibility::UuidMatch::prefix},
                     {"prefix_any_case", Visibility::UuidMatch::prefix_any_case},
                     {"substring", Visibility::UuidMatch::substring}});
  for (char const* field : {"uuid_prefix", "uuid_match"}) {
    if (!result.accepts_uuid && entry.has(field)) {
      entry.refuse(field, "has no effect without 'accepts_uuid: yes'");
    }
  }
  result.instance_prefix = entry.text("instance_prefix", Need::optional);
  result.indices = entry.word<Visibility::Indices>(
      "indices", {{"decimal", Visibility::Indices::decimal},
                  {"strict_decimal", Visibility::Indices::strict_decimal},
                  {"leading_digits", Visibility::Indices::leading_digits},
                  {"any_base", Visibility::Indices::any_base},
                  {"until_stray", Visibility::Indices::until_stray}});
  result.blanks =
      entry.word<Visibility::Blanks>("blanks", {{"trimmed", Visibility::Blanks::trimmed},
                                                {"around_index", Visibility::Blanks::around_index},
                                                {"invalid", Visibility::Blanks::invalid}});
  result.duplicates = entry.word<Visibility::Duplicates>(
      "duplicates", {{"cut", Visibility::Duplicates::cut},
                     {"skip", Visibility::Duplicates::skip},
                     {"leave_none", Visibility::Duplicates::leave_none}});
  result.mixes_kinds = !entry.has("mixes_kinds") || entry.yes_no("mixes_kinds", Need::required);
  result.must_increase = entry.yes_no("must_increase", Need::optional);
  if (entry.has("fallback_only_if")) {
    result.fallback_only_if = variable_name(entry, "fallback_only_if");
  }
  if (entry.has("index_order")) result.index_order = variable_name(entry, "index_order");
  return result;
}

template <class Items>
bool has_name(Items const& items, std::string const& name) {
  return std::any_of(items.begin(), items.end(),
                     [&](auto const& item) { return item.name == name; });
}

void read_visibility(FieldReader const& fields, Descriptor& result) {
  std::vector<std::string> const allowed = {
      "name",       "empty",  "accepts_uuid", "uuid_prefix", "uuid_match",    "instance_prefix",
      "indices",    "blanks", "duplicates",   "mixes_kinds", "must_increase", "fallback_only_if",
      "index_order"};
  std::vector<FieldReader> const entries = fields.groups("visibility", Need::optional, allowed);
  for (FieldReader const& entry : entries) {
    Visibility variable = read_variable(entry);
    if (has_name(result.visibility, variable.name)) {
      entry.refuse("name", fmt::format("'{}' is listed twice", printable(variable.name)));
    }
    result.visibility.push_back(std::move(variable));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Visibility const& variable = result.visibility[i];
    if (variable.fallback_only_if && (*variable.fallback_only_if == variable.name ||
                                      !has_name(result.visibility, *variable.fallback_only_if))) {
      entries[i].refuse("fallback_only_if", "must name another variable of this list");
    }
    if (variable.index_order && !has_name(result.fixed_variables, *variable.index_order)) {
      entries[i].refuse("index_order", "must name one of fixed_variables");
    }
  }
}

constexpr char const* kSourceParameters[] = {"libraries",   "patterns", "pci_vendor_id",
                                             "pci_classes", "node",     "architectures"};

void check_source_parameters(FieldReader const& entry, SourceKind const& kind) {
  for (char const* field : kSourceParameters) {
    bool const takes =
        std::find(kind.parameters.begin(), kind.parameters.end(), field) != kind.parameters.end();
    if (takes && !entry.has(field)) {
      entry.refuse(field, fmt::format("missing; a source of kind {} needs it", kind.name));
    }
    if (!takes && entry.has(field)) {
      entry.refuse(field, fmt::format("has no effect on a source of kind {}", kind.name));
    }
  }
}

Source read_source(FieldReader const& entry) {
  Source result;
  result.kind = entry.text("kind", Need::required);
  SourceKind const* kind = find_source_kind(result.kind);
  if (kind == nullptr) {
    std::vector<std::string> known;
    for (SourceKind const& each : source_kinds()) known.emplace_back(each.name);
    entry.refuse_word("kind", result.kind, known);
    return result;
  }
  check_source_parameters(entry, *kind);
  result.libraries = entry.texts("libraries", Need::optional);
  result.patterns = entry.texts("patterns", Need::optional);
  for (std::string const& pattern : result.patterns) {
    std::size_t const number = pattern.find("{N}");
    bool const is_in_name = number != std::string::npos && pattern.rfind('/') < number;
    if (starts_with(pattern, "/") && is_in_name) continue;
    entry.refuse(
        "patterns",
        fmt::format("'{}': needs an absolute path with {{N}} for the number in its last part",
                    printable(pattern)));
  }
  result.pci_vendor_id = entry.text("pci_vendor_id", Need::optional);
  if (entry.has("pci_vendor_id") && !is_hex(result.pci_vendor_id, 4)) {
    entry.refuse("pci_vendor_id", "needs 0x and four lower-case hex digits");
  }
  result.pci_classes = entry.texts("pci_classes", Need::optional);
  for (std::string const& prefix : result.pci_classes) {
    if (is_hex(prefix, 2) || is_hex(prefix, 4) || is_hex(prefix, 6)) continue;
    entry.refuse("pci_classes", "needs 0x and two, four or six lower-case hex digits");
  }
  result.node = entry.text("node", Need::optional);
  if (entry.has("node") && !starts_with(result.node, "/")) {
    entry.refuse("node", fmt::format("'{}': needs an absolute path", printable(result.node)));
  }
  result.architectures = entry.texts("architectures", Need::optional);
  return result;
}

void read_sources(FieldReader const& fields, Descriptor& result) {
  std::vector<std::string> allowed = {"kind"};
  allowed.insert(allowed.end(), std::begin(kSourceParameters), std::end(kSourceParameters));
  for (FieldReader const& entry : fields.groups("sources", Need::required, allowed)) {
    result.sources.push_back(read_source(entry));
  }
  if (result.sources.empty()) fields.refuse("sources", "empty; needs at least one source");
}

void read_capabilities(FieldReader const& fields, Descriptor& result) {
  std::vector<std::string> const known(std::begin(kCapabilities), std::end(kCapabilities));
  for (std::string const& name : known) result.capabilities[name] = false;
  auto const group = fields.group("capabilities", Need::required, known);
  if (!group) return;
  for (std::string const& name : known) {
    result.capabilities[name] = group->yes_no(name, Need::optional);
  }
}

void read_rest(FieldReader const& fields, Descriptor& result) {
  if (auto const runtime = fields.group("runtime", Need::required, {"family", "libraries"})) {
    result.runtime.family = runtime->text("family", Need::required);
    result.runtime.libraries = runtime->texts("libraries", Need::optional);
  }
  for (FieldReader const& entry : fields.groups("quirks", Need::optional, {"text", "reason"})) {
    result.quirks.push_back(
        {entry.text("text", Need::required), entry.text("reason", Need::required)});
  }
}

}  // namespace

bool Descriptor::can(std::string_view capability) const {
  auto const found = capabilities.find(capability);
  ZL_CHECK(found != capabilities.end(), "a capability of kCapabilities");
  return found->second;
}

bool Descriptor::is_host() const {
  return std::all_of(sources.begin(), sources.end(), [](Source const& source) {
    SourceKind const* kind = find_source_kind(source.kind);
    return kind != nullptr && kind->proof == SourceKind::Proof::host;
  });
}

Result<Descriptor> parse_descriptor(std::string_view yaml, std::string const& origin) {
  auto const tree = read_yaml(yaml, origin);
  if (!tree) return tl::unexpected(tree.error());
  FirstError error(origin);
  FieldReader const fields(
      *tree, "",
      {"name", "aliases", "vendor_name", "verified", "device_name", "torch_module",
       "vendor_variables", "override_variables", "visibility", "fixed_variables", "sources",
       "runtime", "capabilities", "quirks", "module_roots"},
      error);
  Descriptor result;
  result.origin = origin;
  read_names(fields, result);
  read_framework(fields, result);
  read_child_variables(fields, result);
  read_visibility(fields, result);
  read_sources(fields, result);
  read_capabilities(fields, result);
  read_rest(fields, result);
  if (error.get()) return tl::unexpected(*error.get());
  return result;
}

}  // namespace zl::backend
