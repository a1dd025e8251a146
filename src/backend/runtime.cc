#include "backend/runtime.h"

#include <algorithm>
#include <deque>
#include <dlfcn.h>
#include <fmt/format.h>

#include "backend/runtime_rows.h"
#include "base/text.h"

namespace zl::backend {

namespace {

#define ZL_ROW(name, older, member, required) \
  {#name, older, offsetof(RuntimeApi, member), required},
constexpr Symbol kRows[] = {ZL_RUNTIME_ROWS(ZL_ROW)};
#undef ZL_ROW

// A candidate that is in the process already goes first. One with a variable in it is left where it
// is: the library it names answers to its plain name as well once it is loaded.
std::vector<std::string> loaded_first(std::vector<std::string> libraries) {
  std::stable_partition(libraries.begin(), libraries.end(), [](std::string const& library) {
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle != nullptr) ::dlclose(handle);
    return handle != nullptr;
  });
  return libraries;
}

RuntimeFamily const* find_family(std::string_view name) {
  for (RuntimeFamily const& family : runtime_families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

std::string family_names() {
  std::vector<std::string> names;
  for (RuntimeFamily const& family : runtime_families()) names.emplace_back(family.name);
  return join(names, ", ");
}

}  // namespace

std::string_view to_text(StatusClass status_class) {
  switch (status_class) {
    case StatusClass::success:
      return "success";
    case StatusClass::not_ready:
      return "not_ready";
    case StatusClass::capture_only:
      return "capture_only";
    case StatusClass::recoverable:
      return "recoverable";
    case StatusClass::sticky:
      break;
  }
  return "sticky";
}

RuntimeFeatures DeviceRuntime::features() const {
  RuntimeFeatures features;
  bool const has_instantiate =
      api.graph_instantiate != nullptr || api.graph_instantiate_logged != nullptr;
  features.graphs = has_instantiate && api.graph_create != nullptr &&
                    api.graph_destroy != nullptr && api.graph_launch != nullptr &&
                    api.graph_exec_destroy != nullptr && api.graph_nodes != nullptr &&
                    api.graph_node_type != nullptr && api.graph_add_empty != nullptr;
  features.graph_event_nodes = features.graphs && family->has_graph_event_times &&
                               api.graph_add_event != nullptr && api.graph_add_child != nullptr &&
                               api.graph_add_memset != nullptr;
  bool const has_mapped_memory =
      api.host_alloc != nullptr && api.host_free != nullptr && api.host_device_address != nullptr;
  features.stream_wait_value = has_mapped_memory && api.stream_wait_value != nullptr;
  features.device_code = has_mapped_memory && !family->device_code.empty() &&
                         api.module_load != nullptr && api.module_unload != nullptr &&
                         api.module_function != nullptr && api.launch != nullptr &&
                         api.graph_add_kernel != nullptr;
  return features;
}

StatusClass DeviceRuntime::classify(int status) const {
  for (StatusRange const& range : family->statuses) {
    if (status >= range.first && status <= range.last) return range.status_class;
  }
  return StatusClass::sticky;
}

std::string DeviceRuntime::describe(std::string_view what, int status) const {
  char const* name = nullptr;
  char const* text = nullptr;
  if (api.error_name == nullptr || api.error_name(status, &name) != 0) name = nullptr;
  if (api.error_text == nullptr || api.error_text(status, &text) != 0) text = nullptr;
  return fmt::format("{} failed ({}, code {}): {}", what, name == nullptr ? "no name" : name,
                     status, text == nullptr ? "no description" : printable(text));
}

Result<DeviceRuntime> open_runtime(std::string_view family,
                                   std::vector<std::string> const& libraries,
                                   Environment const& environment) {
  DeviceRuntime runtime;
  runtime.family = find_family(family);
  if (runtime.family == nullptr) {
    return fail(ErrorKind::usage, fmt::format("runtime family '{}' is not known; known are: {}",
                                              family, family_names()));
  }
  std::deque<std::string> names;  // a deque: its elements stay where they are
  std::vector<Symbol> symbols;
  auto const with_prefix = [&](char const* name) -> char const* {
    if (name == nullptr) return nullptr;
    return names.emplace_back(fmt::format("{}{}", runtime.family->prefix, name)).c_str();
  };
  OwnTable const* const own = runtime.family->own;
  for (Symbol const& row : own == nullptr ? std::span<Symbol const>(kRows) : own->symbols) {
    symbols.push_back({with_prefix(row.name), with_prefix(row.older), row.slot, row.required});
  }
  // Not into the family's own place: a library that turns out to lack a symbol must not reach it.
  std::vector<void*> table(own == nullptr ? 0 : own->bytes / sizeof(void*));
  auto loaded = load_library(loaded_first(libraries), environment, symbols,
                             own == nullptr ? &runtime.api : static_cast<void*>(table.data()));
  if (!loaded) {
    return in_context(fmt::format("runtime of family '{}'", family), std::move(loaded.error()));
  }
  if (own != nullptr) own->adopt(table.data(), &runtime.api);
  runtime.library = loaded->library;
  runtime.missing = loaded->missing;
  return runtime;
}

int instantiate_graph(RuntimeApi const& api, Handle* exec, Handle graph) {
  if (api.graph_instantiate != nullptr) return api.graph_instantiate(exec, graph, 0);
  return api.graph_instantiate_logged(exec, graph, nullptr, nullptr, 0);
}

}  // namespace zl::backend
