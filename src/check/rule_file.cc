// From YAML to rules.
#include <algorithm>
#include <fmt/format.h>

#include "backend/field_reader.h"
#include "base/text.h"
#include "check/rules.h"

namespace zl::check {

namespace {

using backend::FieldReader;
using backend::FirstError;
using backend::Need;

std::vector<std::string> const kRuleFields = {
    "id",      "class",  "match",   "also",     "unless",      "needs",
    "fits",    "native", "sticky",  "on",       "last_resort", "ends_chain",
    "verdict", "remedy", "sources", "examples", "near_misses"};

std::vector<std::string> names_of_facts() {
  std::vector<std::string> names;
  for (FactName const& fact : fact_names()) names.emplace_back(fact.name);
  return names;
}

std::vector<Condition> conditions(FieldReader const& rule, std::string_view field) {
  std::vector<std::string> const names = names_of_facts();
  std::optional<FieldReader> const group = rule.group(field, Need::optional, names);
  std::vector<Condition> result;
  if (!group) return result;
  for (std::string const& name : names) {
    if (group->has(name)) result.push_back({name, group->texts(name, Need::required)});
  }
  return result;
}

// Bytes that a text must have as they are: a pattern without its operators.
std::size_t literal_bytes(std::string const& pattern) {
  auto const is_literal = [](char c) {
    return std::string_view(".*+?()[]{}|^$\\").find(c) == std::string_view::npos;
  };
  return static_cast<std::size_t>(std::count_if(pattern.begin(), pattern.end(), is_literal));
}

void read_places(FieldReader const& reader, Rule& rule) {
  for (std::string const& word : reader.texts("on", Need::optional)) {
    if (word == "frames") rule.on_frames = true;
    if (word == "warnings") rule.on_warnings = true;
    if (word != "frames" && word != "warnings") {
      reader.refuse_word("on", word, {"frames", "warnings"});
    }
  }
}

void check_rule(FieldReader const& reader, Rule const& rule) {
  if (rule.match.empty() && rule.needs.empty())
    reader.refuse("match", "missing; a rule needs `match`, or `needs` for one of facts alone");
  if (!reader.has("examples") || rule.examples.empty())
    reader.refuse("examples", "missing; a rule needs an example that it explains");
  if (rule.near_misses.empty())
    reader.refuse("near_misses", "missing; a rule needs a near miss that it does not explain");
}

Rule read_rule(FieldReader const& reader, std::string const& origin) {
  Rule rule;
  rule.origin = fmt::format("{}:{}", origin, reader.line());
  rule.id = reader.text("id", Need::required);
  std::string const word = reader.text("class", Need::required);
  rule.in_class = find_class(word);
  if (rule.in_class == nullptr) {
    std::vector<std::string> known;
    for (Class const& one : classes()) known.emplace_back(one.word);
    reader.refuse_word("class", word, known);
  }
  rule.match = reader.texts("match", Need::optional);
  rule.also = reader.texts("also", Need::optional);
  rule.unless = reader.texts("unless", Need::optional);
  rule.needs = conditions(reader, "needs");
  rule.fits = conditions(reader, "fits");
  rule.native = reader.has("native") && reader.yes_no("native", Need::required);
  rule.sticky = reader.has("sticky") && reader.yes_no("sticky", Need::required);
  rule.last_resort = reader.has("last_resort") && reader.yes_no("last_resort", Need::required);
  rule.ends_chain = reader.has("ends_chain") && reader.yes_no("ends_chain", Need::required);
  read_places(reader, rule);
  rule.verdict = trim(reader.text("verdict", Need::required));
  rule.remedy = trim(reader.text("remedy", Need::required));
  rule.sources = reader.texts("sources", Need::optional);
  rule.examples = reader.texts("examples", Need::optional);
  rule.near_misses = reader.texts("near_misses", Need::optional);
  for (std::string const& pattern : rule.match)
    rule.literal_bytes = std::max(rule.literal_bytes, literal_bytes(pattern));
  check_rule(reader, rule);
  return rule;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, std::string const& origin) {
  Result<backend::YamlNode> const root = backend::read_yaml(text, origin);
  if (!root) return tl::unexpected<Error>(root.error());
  FirstError error(origin);
  FieldReader const file(*root, "", {"rules"}, error);
  std::vector<Rule> rules;
  if (!error.get()) {
    for (FieldReader const& reader : file.groups("rules", Need::required, kRuleFields)) {
      if (error.get()) break;
      rules.push_back(read_rule(reader, origin));
    }
  }
  if (error.get()) return tl::unexpected<Error>(*error.get());
  return rules;
}

}  // namespace zl::check
