#pragma once

#include <string>

#include "base/text.h"
#include "check/explain.h"

namespace zl::check {

// A log, and the facts that a first line "@ name=value name=value" gives.
struct Example {
  Facts facts;
  std::string log;
};

inline Example parse_example(std::string const& text) {
  Example example;
  if (!starts_with(text, "@ ")) return {{}, text};
  std::size_t const end = std::min(text.find('\n'), text.size());
  for (std::string const& word : split(text.substr(2, end - 2), ' ')) {
    std::size_t const equal = word.find('=');
    example.facts.add(word.substr(0, equal), word.substr(equal + 1));
  }
  example.log = text.substr(std::min(end + 1, text.size()));
  return example;
}

inline Explanation explain_example(RuleBook const& book, std::string const& text) {
  Example const example = parse_example(text);
  return explain(book, "op", example.facts, {read_text(book, example.log, "run.log")});
}

inline RuleBook const& built_in() {
  static RuleBook const book = [] {
    Result<RuleBook> loaded = RuleBook::load({});
    ZL_CHECK(loaded.has_value(), "the built-in rules load");
    return std::move(*loaded);
  }();
  return book;
}

}  // namespace zl::check
