#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/yaml_tree.h"
#include "base/result.h"

namespace zl::backend {

// Keeps the first error of a file; after it, readers return empty values and nobody looks at them.
class FirstError {
 public:
  explicit FirstError(std::string origin) : origin_(std::move(origin)) {}
  void set(int line, std::string_view field, std::string_view what);
  std::optional<Error> const& get() const { return error_; }

 private:
  std::string origin_;
  std::optional<Error> error_;
};

enum class Need { required, optional };

// Reads the fields of one YAML map. Fields that are not in `allowed` are an error.
class FieldReader {
 public:
  FieldReader(YamlNode const& map, std::string path, std::vector<std::string> allowed,
              FirstError& error);

  int line() const { return map_->line; }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string text(std::string_view name, Need need) const;
  bool yes_no(std::string_view name, Need need) const;
  std::vector<std::string> texts(std::string_view name, Need need) const;
  std::vector<FieldReader> groups(std::string_view name, Need need,
                                  std::vector<std::string> const& allowed) const;
  std::optional<FieldReader> group(std::string_view name, Need need,
                                   std::vector<std::string> const& allowed) const;

  // One of a few words; the first is the default.
  template <class T>
  T word(std::string_view name, std::vector<std::pair<std::string, T>> const& words) const {
    if (!has(name)) return words.front().second;
    std::string const given = text(name, Need::required);
    std::vector<std::string> known;
    for (auto const& [word, value] : words) {
      if (word == given) return value;
      known.push_back(word);
    }
    refuse_word(name, given, known);
    return words.front().second;
  }

  // Books an error of this field: "what is wrong, what is allowed".
  void refuse(std::string_view name, std::string_view what) const;
  void refuse_word(std::string_view name, std::string const& given,
                   std::vector<std::string> const& known) const;

 private:
  YamlNode const* find(std::string_view name) const;
  YamlNode const* need_kind(std::string_view name, Need need, YamlNode::Kind kind,
                            std::string_view allowed) const;
  std::string full_name(std::string_view name) const;

  YamlNode const* map_;
  std::string path_;
  FirstError* error_;
};

}  // namespace zl::backend
