#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/facts.h"
#include "check/reading.h"
#include "check/rules.h"

namespace zl::check {

struct EvidenceLine {
  std::string source;  // "run.log", "events.jsonl"
  std::size_t line = 0;
  std::string text;
  std::size_t repeats = 0;
};

// An explanation that fits somewhere and was not taken.
struct SetAside {
  std::string rule;
  std::string class_word;
  EvidenceLine evidence;  // line 0: of facts alone
  std::string why;
};

enum class Sureness { certain, likely, possible, none };
std::string_view to_text(Sureness sureness);

struct Explanation {
  std::string subject;         // the operator, or the log's name
  Rule const* rule = nullptr;  // of the book that it was made with; null: unknown
  Class const* in_class = nullptr;
  std::vector<EvidenceLine> evidence;
  std::vector<std::string> facts;  // "exit 4": what the rule asked of the run and found
  std::vector<SetAside> set_aside;
  std::size_t collateral_failures = 0;  // after a fault that the device does not recover from
  std::optional<EvidenceLine> first_exception;
  std::string place;  // the last frame of the first exception
  Sureness sureness = Sureness::none;
  std::string sureness_why;

  std::string cause() const;      // "on-chip F13", "unknown"
  std::string signature() const;  // equal for failures that are alike
};

// What the rules say to these texts and facts. Pure. The first reading goes before the second where
// both have the evidence. Facts that follow from the texts are added to those given.
Explanation explain(RuleBook const& book, std::string subject, Facts const& facts,
                    std::vector<Reading> const& readings);

// The facts given and those that follow from the texts.
Facts derived_facts(Facts facts, std::vector<Reading> const& readings);

std::string to_text(Explanation const& explanation);
// An object on several lines.
std::string to_json_text(Explanation const& explanation);

}  // namespace zl::check
