#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zl {

// A snapshot of environment variables. Functions that decide anything take one as a value, so that
// they can be tested; only main reads the process's own.
using Environment = std::map<std::string, std::string, std::less<>>;

Environment current_environment();

// One change to a child's environment: `value` empty means "remove the variable".
struct VariableChange {
  std::string name;
  std::optional<std::string> value;
  std::string reason;  // shown by `zlbench plan`
};

std::optional<std::string> lookup(Environment const& environment, std::string_view name);
Environment with_changes(Environment environment, std::vector<VariableChange> const& changes);
// "NAME=value" lines for execve.
std::vector<std::string> to_lines(Environment const& environment);

}  // namespace zl
