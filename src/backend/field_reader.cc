#include "backend/field_reader.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"

namespace zl::backend {

void FirstError::set(int line, std::string_view field, std::string_view what) {
  if (error_) return;
  error_ = Error{ErrorKind::usage,
                 fmt::format("{}:{}: field '{}': {}", origin_, line, printable(field), what)};
}

FieldReader::FieldReader(YamlNode const& map, std::string path, std::vector<std::string> allowed,
                         FirstError& error)
    : map_(&map), path_(std::move(path)), error_(&error) {
  if (map.kind != YamlNode::Kind::map) {
    error.set(
        map.line, path_.empty() ? "(file)" : path_,
        fmt::format("is {}; needs a group of fields: {}", describe(map.kind), join(allowed, ", ")));
    return;
  }
  for (YamlNode const& item : map.items) {
    if (std::find(allowed.begin(), allowed.end(), item.key) != allowed.end()) continue;
    error.set(item.line, full_name(item.key),
              fmt::format("unknown field; allowed here: {}.{}", join(allowed, ", "),
                          did_you_mean(item.key, allowed)));
  }
}

std::string FieldReader::full_name(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

YamlNode const* FieldReader::find(std::string_view name) const {
  auto const same = [&](YamlNode const& item) { return item.key == name; };
  auto const found = std::find_if(map_->items.begin(), map_->items.end(), same);
  return found == map_->items.end() ? nullptr : &*found;
}

YamlNode const* FieldReader::need_kind(std::string_view name, Need need, YamlNode::Kind kind,
                                       std::string_view allowed) const {
  YamlNode const* node = find(name);
  if (node == nullptr) {
    if (need == Need::required) {
      error_->set(map_->line, full_name(name), fmt::format("missing; needs {}", allowed));
    }
    return nullptr;
  }
  if (node->kind == kind) return node;
  error_->set(node->line, full_name(name),
              fmt::format("is {}; needs {}", describe(node->kind), allowed));
  return nullptr;
}

void FieldReader::refuse(std::string_view name, std::string_view what) const {
  YamlNode const* node = find(name);
  error_->set(node == nullptr ? map_->line : node->line, full_name(name), what);
}

void FieldReader::refuse_word(std::string_view name, std::string const& given,
                              std::vector<std::string> const& known) const {
  refuse(name, fmt::format("'{}' is not known; allowed: {}.{}", printable(given), join(known, ", "),
                           did_you_mean(given, known)));
}

std::string FieldReader::text(std::string_view name, Need need) const {
  YamlNode const* node = need_kind(name, need, YamlNode::Kind::scalar, "a text");
  if (node == nullptr) return "";
  if (trim(node->text).empty()) error_->set(node->line, full_name(name), "empty; needs a text");
  return node->text;
}

bool FieldReader::yes_no(std::string_view name, Need need) const {
  YamlNode const* node = need_kind(name, need, YamlNode::Kind::scalar, "yes or no");
  if (node == nullptr) return false;
  if (node->text == "yes" || node->text == "true") return true;
  if (node->text == "no" || node->text == "false") return false;
  error_->set(node->line, full_name(name),
              fmt::format("'{}' is not a truth value; allowed: yes, no", printable(node->text)));
  return false;
}

std::vector<std::string> FieldReader::texts(std::string_view name, Need need) const {
  YamlNode const* node = need_kind(name, need, YamlNode::Kind::sequence, "a list of texts");
  std::vector<std::string> result;
  if (node == nullptr) return result;
  for (YamlNode const& item : node->items) {
    if (item.kind != YamlNode::Kind::scalar || trim(item.text).empty()) {
      error_->set(
          item.line, fmt::format("{}[{}]", full_name(name), result.size()),
          fmt::format("is {}; needs a text", item.text.empty() ? describe(item.kind) : "blank"));
    }
    result.push_back(item.text);
  }
  return result;
}

std::vector<FieldReader> FieldReader::groups(std::string_view name, Need need,
                                             std::vector<std::string> const& allowed) const {
  YamlNode const* node = need_kind(name, need, YamlNode::Kind::sequence, "a list of groups");
  std::vector<FieldReader> result;
  if (node == nullptr) return result;
  for (YamlNode const& item : node->items) {
    std::string const path = fmt::format("{}[{}]", full_name(name), result.size());
    result.emplace_back(item, path, allowed, *error_);
  }
  return result;
}

std::optional<FieldReader> FieldReader::group(std::string_view name, Need need,
                                              std::vector<std::string> const& allowed) const {
  YamlNode const* node = need_kind(name, need, YamlNode::Kind::map, "a group of fields");
  if (node == nullptr) return std::nullopt;
  return FieldReader(*node, full_name(name), allowed, *error_);
}

}  // namespace zl::backend
