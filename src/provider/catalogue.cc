#include "provider/catalogue.h"

#include <fmt/format.h>
#include <unordered_set>
#include <yaml-cpp/yaml.h>

namespace zl::provider {

namespace {

std::string scalar(YAML::Node const& node) {
  return node.IsScalar() ? node.Scalar() : "";
}

// The catalogue writes "None" for an operator that stands for no other.
void add_alias(YAML::Node const& node, std::vector<std::string>& aliases) {
  std::string const name = scalar(node);
  if (!name.empty() && name != "None") aliases.push_back(name);
}

// Stages stand in the order in which the operator went through them: [alpha: '5.0', beta: '5.2'].
std::string latest_stage(YAML::Node const& stages) {
  if (!stages.IsDefined() || !stages.IsSequence() || stages.size() == 0) return "";
  YAML::Node const last = stages[stages.size() - 1];
  if (last.IsMap() && last.size() > 0) return scalar(last.begin()->first);
  return scalar(last);
}

Operator read_operator(YAML::Node const& entry) {
  Operator op;
  op.id = entry["id"] ? scalar(entry["id"]) : "";
  YAML::Node const aliases = entry["for"];
  if (aliases && aliases.IsSequence()) {
    for (YAML::Node const& alias : aliases) add_alias(alias, op.aliases);
  } else if (aliases) {
    add_alias(aliases, op.aliases);
  }
  op.stage = latest_stage(entry["stages"]);
  return op;
}

}  // namespace

Result<std::vector<Operator>> parse_catalogue(std::string const& text) try {
  YAML::Node const document = YAML::Load(text);
  YAML::Node const entries =
      document.IsMap() ? document["ops"] : YAML::Node(YAML::NodeType::Undefined);
  if (!entries.IsDefined() || !entries.IsSequence()) {
    return fail(
        ErrorKind::environment,
        fmt::format("{}: no list 'ops' in it; is this a complete checkout?", kCatalogueFile));
  }
  std::vector<Operator> operators;
  std::unordered_set<std::string> seen;
  for (YAML::Node const& entry : entries) {
    if (!entry.IsMap()) continue;
    Operator op = read_operator(entry);
    if (is_valid_operator_id(op.id) && seen.insert(op.id).second)
      operators.push_back(std::move(op));
  }
  return operators;
} catch (YAML::Exception const& error) {
  return fail(ErrorKind::environment,
              fmt::format("{}:{}: not YAML: {}", kCatalogueFile, error.mark.line + 1, error.msg));
}

}  // namespace zl::provider
