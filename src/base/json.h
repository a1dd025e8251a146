// Field access that never throws. Include in .cc files only: the library costs seconds to compile.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text.h"

namespace zl {

using Json = nlohmann::json;

// Empty when the text is not one JSON value.
inline std::optional<Json> parse_json(std::string_view text) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

// One line; bytes that are not UTF-8 become U+FFFD instead of an exception.
inline std::string to_line(Json const& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

inline Json const* find_field(Json const& object, char const* name) {
  if (!object.is_object()) return nullptr;
  auto const found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

inline std::optional<std::string> string_field(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

// Numbers only, and finite ones only.
inline std::optional<double> number_field(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  auto const number = value->get<double>();
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

// Whole numbers that fit; 3.0 is not one.
inline std::optional<long long> integer_field(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<long long>();
}

inline std::optional<bool> bool_field(Json const& object, char const* name) {
  Json const* const value = find_field(object, name);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

}  // namespace zl
