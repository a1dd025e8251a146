#include "check/explain.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/text.h"

namespace zl::check {

namespace {

// A lower layer's line this near after a fault is about that fault.
constexpr std::size_t kSameInstantLines = 40;
constexpr std::size_t kMostEvidence = 4;
constexpr std::size_t kMostSetAside = 8;
constexpr std::size_t kNoLine = static_cast<std::size_t>(-1);  // of facts alone: after the texts

enum class Standing { eligible, weak, out };

// One rule with the best of its lines.
struct Candidate {
  Rule const* rule = nullptr;
  std::size_t reading = 0;
  Hit const* hit = nullptr;  // null: of facts alone
  std::vector<EvidenceLine> lines;
  Standing standing = Standing::eligible;
  std::string why;  // why not eligible
  bool has_unknown_facts = false;
};

class Judge {
 public:
  Judge(RuleBook const& book, Facts const& facts, std::vector<Reading> const& readings)
      : book_(book), facts_(facts), readings_(readings) {
    hits_.resize(book.rules().size());
    for (std::size_t r = 0; r < readings.size(); ++r) {
      for (Hit const& hit : readings[r].hits) {
        RuleBook::Pattern const& pattern = book.patterns()[hit.pattern];
        hits_[pattern.rule].push_back({r, &hit, &pattern});
      }
    }
  }

  std::vector<Candidate> candidates() {
    find_first_fault();
    for (std::size_t i = 0; i < book_.rules().size(); ++i) {
      if (std::optional<Candidate> found = candidate(book_.rules()[i], i))
        found_.push_back(std::move(*found));
    }
    put_later_links_aside();
    std::stable_sort(found_.begin(), found_.end(),
                     [](Candidate const& a, Candidate const& b) { return order(a) < order(b); });
    return std::move(found_);
  }

  // The line after which everything is collateral; 0: none. By reading.
  std::size_t fault_line(std::size_t reading) const { return fault_lines_[reading]; }

 private:
  struct Found {
    std::size_t reading;
    Hit const* hit;
    RuleBook::Pattern const* pattern;
  };
  using Order = std::tuple<int, bool, int, std::size_t, std::size_t, long long, long long>;

  // Smaller is taken first: class, then what is of facts alone, the earliest line, the more
  // special.
  static Order order(Candidate const& one) {
    return {static_cast<int>(one.standing),
            one.rule->last_resort,
            one.rule->in_class->rank,
            one.reading,
            one.hit == nullptr ? kNoLine : one.hit->line,
            -static_cast<long long>(one.rule->needs.size() + one.rule->also.size()),
            -static_cast<long long>(one.rule->literal_bytes)};
  }

  std::string scope_fault(Found const& found) const {
    LineContext const& context = found.hit->context;
    int const first = readings_[found.reading].shape.first_failure();
    if (context.failure >= 0 && first >= 0 && context.failure > first)
      return "it is of a later failure";
    if (context.failure >= 0 && context.failure < first)
      return "it was printed before the test that failed, and went on";
    return "";
  }

  bool is_collateral(Rule const& rule, Found const& found) const {
    std::size_t const fault = fault_lines_[found.reading];
    if (fault == 0 || found.hit->line <= fault || rule.sticky) return false;
    return !(rule.native && found.hit->line - fault < kSameInstantLines);
  }

  bool is_in_place(Rule const& rule, Hit const& hit) const {
    switch (hit.context.role) {
      case Role::plain:
      case Role::exception:
        return true;
      case Role::frame:
        return rule.on_frames;
      case Role::warning:
      case Role::quoted:
        break;
    }
    return rule.on_warnings || rule.native;
  }

  bool ends_its_chain(Found const& found) const {
    LogShape const& shape = readings_[found.reading].shape;
    auto const index = static_cast<std::size_t>(found.hit->context.failure);
    if (found.hit->context.failure < 0 || index >= shape.failures.size()) return true;
    return static_cast<std::size_t>(found.hit->context.link) + 1 >=
           shape.failures[index].chain.size();
  }

  // Texts beside the evidence: all of `also`, none of `unless`.
  bool fits_other_texts(Rule const& rule, std::size_t index) const {
    std::vector<bool> also(rule.also.size(), false);
    for (Found const& found : hits_[index]) {
      if (found.pattern->use == PatternUse::unless) return false;
      if (found.pattern->use == PatternUse::also) also[found.pattern->index] = true;
    }
    return std::all_of(also.begin(), also.end(), [](bool is_there) { return is_there; });
  }

  // Empty, or which fact speaks against the rule.
  std::optional<std::string> against(Rule const& rule, bool& has_unknown) const {
    for (Condition const& condition : rule.fits) {
      std::optional<bool> const held = holds(condition, facts_);
      if (!held) has_unknown = true;
      if (held && !*held) {
        return fmt::format("it fits {} {}, and here it is {}", condition.fact,
                           join(condition.values, " or "), facts_.text(condition.fact));
      }
    }
    return std::nullopt;
  }

  bool has_its_needs(Rule const& rule) const {
    return std::all_of(rule.needs.begin(), rule.needs.end(), [&](Condition const& condition) {
      return holds(condition, facts_).value_or(false);
    });
  }

  void find_first_fault() {
    fault_lines_.assign(readings_.size(), 0);
    for (std::size_t i = 0; i < book_.rules().size(); ++i) {
      Rule const& rule = book_.rules()[i];
      if (!rule.sticky || !has_its_needs(rule) || !fits_other_texts(rule, i)) continue;
      for (Found const& found : hits_[i]) {
        bool const counts = found.pattern->use == PatternUse::match &&
                            is_in_place(rule, *found.hit) && scope_fault(found).empty();
        if (!counts) continue;
        std::size_t& line = fault_lines_[found.reading];
        line = line == 0 ? found.hit->line : std::min(line, found.hit->line);
      }
    }
  }

  void judge_hit(Candidate& one, Found const& found) const {
    Rule const& rule = *one.rule;
    std::string why = scope_fault(found);
    Standing standing = Standing::out;
    if (!is_in_place(rule, *found.hit)) {
      why =
          found.hit->context.role == Role::frame ? "it stands in a line of source, not in an error"
          : found.hit->context.role == Role::quoted ? "only a summary says it"
                                                    : "it is a warning after which the run went on";
      standing = Standing::weak;
    } else if (is_collateral(rule, found)) {
      why = fmt::format("collateral: the device was lost in line {}", fault_line(found.reading));
    } else if (rule.ends_chain && !ends_its_chain(found)) {
      why = "another exception followed from it";
    } else if (why.empty()) {
      standing = Standing::eligible;
    }
    bool const is_better = one.hit == nullptr || standing < one.standing;
    if (is_better) {
      one.hit = found.hit;
      one.reading = found.reading;
      one.standing = standing;
      one.why = why;
      one.lines.clear();
    }
    if (standing != one.standing || one.lines.size() >= kMostEvidence) return;
    one.lines.push_back(
        {readings_[found.reading].name, found.hit->line, found.hit->text, found.hit->repeats});
  }

  std::optional<Candidate> candidate(Rule const& rule, std::size_t index) const {
    if (!has_its_needs(rule) || !fits_other_texts(rule, index)) return std::nullopt;
    Candidate one;
    one.rule = &rule;
    if (!rule.match.empty()) {
      for (Found const& found : hits_[index]) {
        if (found.pattern->use == PatternUse::match) judge_hit(one, found);
      }
      if (one.hit == nullptr) return std::nullopt;
    }
    if (std::optional<std::string> const fact = against(rule, one.has_unknown_facts)) {
      one.standing = Standing::out;
      one.why = *fact;
    }
    return one;
  }

  // Of a chain of exceptions the first one that says something counts.
  void put_later_links_aside() {
    auto const is_link = [](Candidate const& one) {
      return one.standing == Standing::eligible && one.hit != nullptr &&
             one.hit->context.failure >= 0 && one.hit->context.role == Role::exception;
    };
    int first = -1;
    for (Candidate const& one : found_) {
      if (is_link(one) && (first < 0 || one.hit->context.link < first))
        first = one.hit->context.link;
    }
    for (Candidate& one : found_) {
      if (!is_link(one) || one.hit->context.link <= first || one.rule->native) continue;
      one.standing = Standing::out;
      one.why = "it is a later exception of the same chain";
    }
  }

  RuleBook const& book_;
  Facts const& facts_;
  std::vector<Reading> const& readings_;
  std::vector<std::vector<Found>> hits_;  // by rule
  std::vector<std::size_t> fault_lines_;  // by reading
  std::vector<Candidate> found_;
};

std::vector<std::string> facts_asked(Rule const& rule, Facts const& facts) {
  std::vector<std::string> texts;
  for (std::vector<Condition> const* list : {&rule.needs, &rule.fits}) {
    for (Condition const& condition : *list) {
      if (facts.find(condition.fact) != nullptr)
        texts.push_back(condition.fact + " " + facts.text(condition.fact));
    }
  }
  return texts;
}

void put_aside(Explanation& result, std::vector<Candidate> const& all, Candidate const* taken) {
  for (Candidate const& one : all) {
    bool const is_filler = one.rule->last_resort || one.hit == nullptr;
    if (&one == taken || is_filler || result.set_aside.size() >= kMostSetAside) continue;
    std::string why = one.why;
    if (why.empty() && taken != nullptr) {
      bool const is_same_class = one.rule->in_class == taken->rule->in_class;
      why = is_same_class ? "it stands later, or says less"
                          : fmt::format("class {} goes before class {}",
                                        taken->rule->in_class->word, one.rule->in_class->word);
    }
    EvidenceLine const line = one.lines.empty() ? EvidenceLine{} : one.lines.front();
    result.set_aside.push_back({one.rule->id, std::string(one.rule->in_class->word), line, why});
  }
}

void find_first_exception(Explanation& result, std::vector<Reading> const& readings) {
  for (Reading const& reading : readings) {
    int const index = reading.shape.first_failure();
    if (index < 0) continue;
    Failure const& failure = reading.shape.failures[static_cast<std::size_t>(index)];
    if (failure.chain.empty()) continue;
    Exception const& first = failure.chain.front();
    if (!result.first_exception)
      result.first_exception = EvidenceLine{reading.name, first.line, first.text, 0};
    if (result.place.empty()) result.place = first.place;
  }
}

void settle_sureness(Explanation& result, std::vector<Candidate> const& all,
                     Candidate const& taken) {
  std::vector<std::string> doubts;
  if (taken.standing == Standing::weak) doubts.emplace_back(taken.why);
  if (taken.rule->last_resort)
    doubts.emplace_back("no signature fits; this is only how and where it ended");
  bool const is_weak = !doubts.empty();
  if (taken.has_unknown_facts) doubts.emplace_back("not every fact that the rule asks is known");
  if (taken.hit != nullptr && taken.hit->context.link > 0)
    doubts.emplace_back("it is not the first exception of its chain");
  bool const is_in_exception =
      taken.hit == nullptr || taken.rule->native || taken.hit->context.role == Role::exception;
  if (!is_in_exception) doubts.emplace_back("the line is not part of an exception");
  for (Candidate const& one : all) {
    bool const is_rival = one.standing == Standing::eligible && one.hit != nullptr &&
                          !one.rule->last_resort && one.rule->in_class != taken.rule->in_class;
    if (!is_rival) continue;
    doubts.push_back(fmt::format("{} ({}) fits too", one.rule->id, one.rule->in_class->word));
    break;
  }
  result.sureness = is_weak          ? Sureness::possible
                    : doubts.empty() ? Sureness::certain
                                     : Sureness::likely;
  result.sureness_why =
      doubts.empty() ? "the text and every fact that the rule asks are there" : join(doubts, "; ");
}

std::size_t failures_after(Reading const& reading, std::size_t line) {
  auto const is_after = [&](Failure const& failure) { return failure.line > line; };
  auto const& all = reading.shape.failures;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_after));
}

}  // namespace

std::string_view to_text(Sureness sureness) {
  constexpr std::string_view kWords[] = {"certain", "likely", "possible", "unknown"};
  return kWords[static_cast<std::size_t>(sureness)];
}

Explanation explain(RuleBook const& book, std::string subject, Facts const& given,
                    std::vector<Reading> const& readings) {
  Explanation result;
  result.subject = std::move(subject);
  result.in_class = find_class("unknown");
  Facts const facts = derived_facts(given, readings);
  find_first_exception(result, readings);
  Judge judge(book, facts, readings);
  std::vector<Candidate> const all = judge.candidates();
  Candidate const* const taken =
      all.empty() || all.front().standing == Standing::out ? nullptr : &all.front();
  for (std::size_t r = 0; r < readings.size(); ++r) {
    if (std::size_t const line = judge.fault_line(r); line > 0)
      result.collateral_failures += failures_after(readings[r], line);
  }
  put_aside(result, all, taken);
  if (taken == nullptr) {
    result.sureness_why = result.first_exception ? "no rule knows this exception"
                                                 : "no rule fits, and there is no exception";
    return result;
  }
  result.rule = taken->rule;
  result.in_class = taken->rule->in_class;
  result.evidence = taken->lines;
  result.facts = facts_asked(*taken->rule, facts);
  settle_sureness(result, all, *taken);
  return result;
}

std::string Explanation::cause() const {
  return rule == nullptr ? "unknown" : fmt::format("{} {}", in_class->word, rule->id);
}

// Numbers, addresses and paths differ where the cause is one.
std::string Explanation::signature() const {
  if (rule != nullptr && !rule->last_resort) return rule->id;
  std::string result = rule == nullptr ? "unknown:" : rule->id + ":";
  if (!first_exception) return result;
  for (char const c : first_exception->text.substr(0, 120)) {
    bool const is_digit = c >= '0' && c <= '9';
    if (is_digit && !result.empty() && result.back() == '#') continue;
    result += is_digit ? '#' : c;
  }
  return result;
}

}  // namespace zl::check
