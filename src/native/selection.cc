#include "native/selection.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

namespace zl::native {

namespace {

using nlohmann::json;

constexpr long long kMostSeats = 1024;

// People type torch's names.
std::string canonical_dtype(std::string const& name) {
  static std::map<std::string, std::string, std::less<>> const kNames = {
      {"float64", "f64"}, {"double", "f64"}, {"float32", "f32"},   {"float", "f32"},
      {"float16", "f16"}, {"half", "f16"},   {"bfloat16", "bf16"}, {"int64", "s64"},
      {"int32", "s32"},   {"int16", "s16"},  {"int8", "s8"},       {"uint8", "u8"}};
  auto const found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

// A list of names, or one text with commas.
std::vector<std::string> dtypes_of(json const& value) {
  std::vector<std::string> names;
  if (value.is_string()) names = split(value.get<std::string>(), ',');
  if (value.is_array()) {
    for (json const& name : value) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
  }
  std::vector<std::string> dtypes;
  for (std::string const& name : names) {
    if (!trim(name).empty()) dtypes.push_back(canonical_dtype(to_lower(trim(name))));
  }
  return dtypes;
}

bool contains(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<Selection> read_selection(Environment const& environment) {
  Selection selection;
  auto const path = lookup(environment, "ZL_PLAN");
  if (!path) return selection;
  auto const text = read_file(*path);
  if (!text) return in_context("plan file", text.error());
  json const plan = json::parse(*text, nullptr, false);
  if (!plan.is_object() || plan.value("format", json()) != 1) {
    return fail(ErrorKind::environment,
                fmt::format("plan file '{}' is not a JSON object of format 1: it must be the one "
                            "that this version of zlbench wrote",
                            *path));
  }
  selection.dtypes = dtypes_of(plan.value("dtypes", json()));
  json const shapes = plan.value("shapes", json::object());
  if (shapes.is_object() && shapes.value("mode", json()) == "small") {
    json const limit = shapes.value("max_elements", json());
    if (limit.is_number()) selection.max_elements = limit.get<double>();
  }
  json const seat = plan.value("seat", json::object());
  if (seat.is_object()) {
    auto const field = [&](char const* name) {
      long long const value = integer_field(seat, name).value_or(0);
      return static_cast<std::size_t>(std::clamp<long long>(value, 0, kMostSeats));
    };
    selection.seat = field("index");
    selection.seats = field("of");
  }
  json const nodes = plan.value("nodes", json::array());
  if (nodes.is_array() && !nodes.empty() && nodes[0].is_string()) selection.node = nodes[0];
  return selection;
}

std::vector<Case> select_cases(std::vector<Case> const& cases, Selection const& selection) {
  std::vector<Case> selected;
  std::map<std::string, double> smallest;  // by dtype
  for (Case const& item : cases) {
    auto const [entry, is_new] = smallest.emplace(item.dtype, item.elements());
    if (!is_new) entry->second = std::min(entry->second, item.elements());
  }
  for (Case const& item : cases) {
    bool const is_wanted = selection.dtypes.empty() || contains(selection.dtypes, item.dtype);
    double const limit =
        std::max(selection.max_elements.value_or(item.elements()), smallest[item.dtype]);
    if (is_wanted && item.elements() <= limit) selected.push_back(item);
  }
  return selected;
}

}  // namespace zl::native
