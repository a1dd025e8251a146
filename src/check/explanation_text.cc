// An explanation for people and for programs.
#include <fmt/format.h>

#include "base/json.h"
#include "check/explain.h"

namespace zl::check {

namespace {

constexpr std::size_t kWidest = 200;

std::string place_of(EvidenceLine const& line) {
  return line.line == 0 ? line.source : fmt::format("{}:{}", line.source, line.line);
}

std::string evidence_text(EvidenceLine const& line) {
  std::string text = fmt::format("  {}  {}\n", place_of(line), printable(line.text, kWidest));
  if (line.repeats > 0) text += fmt::format("    the same line {} times more\n", line.repeats);
  return text;
}

std::string unknown_text(Explanation const& explanation) {
  std::string text = fmt::format("{}: unknown\n", explanation.subject);
  if (explanation.first_exception) {
    text += "first exception\n" + evidence_text(*explanation.first_exception);
    if (!explanation.place.empty()) text += "    at " + explanation.place + "\n";
  }
  return text;
}

std::string known_text(Explanation const& explanation) {
  Rule const& rule = *explanation.rule;
  std::string text =
      fmt::format("{}: {} ({}, {})\n  {}\n", explanation.subject, explanation.in_class->title,
                  explanation.in_class->word, rule.id, rule.verdict);
  text += "evidence\n";
  for (EvidenceLine const& line : explanation.evidence) text += evidence_text(line);
  for (std::string const& fact : explanation.facts) text += "  fact: " + fact + "\n";
  bool const is_elsewhere = explanation.first_exception && explanation.evidence.empty();
  if (is_elsewhere) text += evidence_text(*explanation.first_exception);
  return text;
}

std::string next_text(Explanation const& explanation) {
  std::string text = "next\n";
  if (explanation.rule != nullptr) return text + "  " + explanation.rule->remedy + "\n";
  return text + fmt::format(
                    "  the cheapest probe that tells the stack from the operator: zlbench "
                    "explain --probe {}\n",
                    shell_quote(explanation.subject));
}

Json to_json(EvidenceLine const& line) {
  return {
      {"source", line.source}, {"line", line.line}, {"text", line.text}, {"repeats", line.repeats}};
}

}  // namespace

std::string to_text(Explanation const& explanation) {
  std::string text =
      explanation.rule == nullptr ? unknown_text(explanation) : known_text(explanation);
  if (explanation.collateral_failures > 0) {
    text += fmt::format("collateral\n  {} failures after the device fault say nothing\n",
                        explanation.collateral_failures);
  }
  if (!explanation.set_aside.empty()) text += "set aside\n";
  for (SetAside const& one : explanation.set_aside) {
    text += fmt::format("  {} {}", one.class_word, one.rule);
    if (one.evidence.line > 0) text += " at " + place_of(one.evidence);
    text += ": " + one.why + "\n";
  }
  text += next_text(explanation);
  text += fmt::format("sure: {} ({})\n", to_text(explanation.sureness), explanation.sureness_why);
  if (explanation.rule != nullptr && !explanation.rule->sources.empty())
    text += "seen in\n  " + join(explanation.rule->sources, "\n  ") + "\n";
  return text;
}

std::string to_json_text(Explanation const& explanation) {
  Json object{{"subject", explanation.subject},
              {"class", explanation.in_class->word},
              {"class_rank", explanation.in_class->rank},
              {"title", explanation.in_class->title},
              {"rule", nullptr},
              {"sureness", to_text(explanation.sureness)},
              {"sureness_why", explanation.sureness_why},
              {"collateral_failures", explanation.collateral_failures},
              {"facts", explanation.facts},
              {"evidence", Json::array()},
              {"set_aside", Json::array()},
              {"first_exception", nullptr}};
  if (Rule const* const rule = explanation.rule) {
    object["rule"] = rule->id;
    object["verdict"] = rule->verdict;
    object["remedy"] = rule->remedy;
    object["sources"] = rule->sources;
    object["rule_origin"] = rule->origin;
  }
  for (EvidenceLine const& line : explanation.evidence) object["evidence"].push_back(to_json(line));
  for (SetAside const& one : explanation.set_aside) {
    object["set_aside"].push_back({{"rule", one.rule},
                                   {"class", one.class_word},
                                   {"evidence", to_json(one.evidence)},
                                   {"why", one.why}});
  }
  if (explanation.first_exception) {
    object["first_exception"] = to_json(*explanation.first_exception);
    object["first_exception"]["place"] = explanation.place;
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace zl::check
