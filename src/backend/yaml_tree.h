#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace zl::backend {

// One YAML node with its line (of its key, for an entry of a map). Anchors and aliases are refused:
// a descriptor needs none, and they can blow up.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  int line = 0;
  std::string text;             // of a scalar
  std::string key;              // of a map's entry
  std::vector<YamlNode> items;  // of a sequence or a map, in file order
};

std::string_view describe(YamlNode::Kind kind);  // "a list"

// One document. Errors read "origin:line: what". Repeated keys are an error.
Result<YamlNode> read_yaml(std::string_view text, std::string const& origin);

}  // namespace zl::backend
