#include "base/environment.h"

#include <unistd.h>

namespace zl {

Environment current_environment() {
  Environment result;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    std::string_view const text = *line;
    std::size_t const equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::optional<std::string> lookup(Environment const& environment, std::string_view name) {
  auto const found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  return found->second;
}

Environment with_changes(Environment environment, std::vector<VariableChange> const& changes) {
  for (VariableChange const& change : changes) {
    if (change.value) {
      environment[change.name] = *change.value;
    } else {
      environment.erase(change.name);
    }
  }
  return environment;
}

std::vector<std::string> to_lines(Environment const& environment) {
  std::vector<std::string> lines;
  lines.reserve(environment.size());
  for (auto const& [name, value] : environment) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace zl
