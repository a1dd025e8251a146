#include "backend/library.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <optional>

#include "base/text.h"

namespace zl::backend {

namespace {

// Replaces ${NAME}; empty when a variable is unset, since such a candidate points nowhere.
std::optional<std::string> expand(std::string const& candidate, Environment const& environment) {
  std::string result;
  std::size_t position = 0;
  while (true) {
    std::size_t const begin = candidate.find("${", position);
    if (begin == std::string::npos) break;
    std::size_t const end = candidate.find('}', begin);
    if (end == std::string::npos) break;
    auto const value = lookup(environment, candidate.substr(begin + 2, end - begin - 2));
    if (!value || value->empty()) return std::nullopt;
    result += candidate.substr(position, begin - position) + *value;
    position = end + 1;
  }
  return result + candidate.substr(position);
}

std::string loader_error() {
  char const* const text = ::dlerror();
  return text == nullptr ? "unknown reason" : printable(text);
}

void store(void* table, std::size_t slot, void* address) {
  std::memcpy(static_cast<char*>(table) + slot, &address, sizeof(address));
}

// Null when all required symbols are there, else the name of the first that is not.
char const* fill(void* handle, std::span<Symbol const> symbols, void* table,
                 LoadedLibrary& loaded) {
  for (Symbol const& symbol : symbols) {
    void* address = ::dlsym(handle, symbol.name);
    if (address == nullptr && symbol.older != nullptr) {
      address = ::dlsym(handle, symbol.older);
      if (address != nullptr) loaded.older.emplace_back(symbol.older);
    }
    if (address == nullptr && symbol.required) return symbol.name;
    if (address == nullptr) loaded.missing.emplace_back(symbol.name);
    store(table, symbol.slot, address);
  }
  return nullptr;
}

}  // namespace

Result<LoadedLibrary> load_library(std::vector<std::string> const& candidates,
                                   Environment const& environment, std::span<Symbol const> symbols,
                                   void* table, Binding binding) {
  int const flags =
      binding == Binding::lazy_global ? RTLD_LAZY | RTLD_GLOBAL : RTLD_NOW | RTLD_LOCAL;
  std::vector<std::string> reasons;
  for (std::string const& candidate : candidates) {
    auto const path = expand(candidate, environment);
    if (!path) continue;
    void* const handle = ::dlopen(path->c_str(), flags);
    if (handle == nullptr) {
      reasons.push_back(loader_error());
      continue;
    }
    LoadedLibrary loaded{*path, {}, {}};
    char const* const lacking = fill(handle, symbols, table, loaded);
    if (lacking == nullptr) return loaded;
    reasons.push_back(fmt::format("{}: has no symbol '{}'", *path, lacking));
  }
  if (reasons.empty()) reasons.push_back("no library candidate applies here");
  return fail(ErrorKind::environment, join(reasons, "; "));
}

}  // namespace zl::backend
