#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zl::check {

// What is known of a run beside its log. A name that is absent is not known: neither true nor
// false.
class Facts {
 public:
  void set(std::string const& name, std::string value);
  void add(std::string const& name, std::string value);
  std::vector<std::string> const* find(std::string_view name) const;
  std::string text(std::string_view name) const;  // the values, ", " between; "" where not known
  std::map<std::string, std::vector<std::string>, std::less<>> const& all() const { return facts_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> facts_;
};

// One fact and the values that a rule asks for: words, a bound as in ">3" and "<64",
// or "*": whatever is known.
struct Condition {
  std::string fact;
  std::vector<std::string> values;
};

// Empty where the fact is not known.
std::optional<bool> holds(Condition const& condition, Facts const& facts);

// Every name that a rule may ask for, and what it says.
struct FactName {
  std::string_view name;
  std::string_view meaning;
};
std::span<FactName const> fact_names();

}  // namespace zl::check
