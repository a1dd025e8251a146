#include "check/rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <re2/re2.h>
#include <re2/set.h>
#include <system_error>

#include "base/embedded.h"
#include "base/text.h"

namespace zl::check {

namespace {

// Of the automaton's states; beyond it RE2 throws them away and goes on.
constexpr std::int64_t kAutomatonBytes = 48ll << 20;

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kAutomatonBytes);
  return options;
}

Result<std::vector<fs::path>> rule_files(fs::path const& folder) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  if (code || files.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("--rules {}: {}; name a folder with *.yaml files", folder.string(),
                            code ? code.message() : "no *.yaml file is there"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

struct RuleBook::Automaton {
  RE2::Set set{options(), RE2::UNANCHORED};
  std::vector<std::unique_ptr<RE2>> single;  // for a line on which the set gives up
};

RuleBook::RuleBook() = default;
RuleBook::RuleBook(RuleBook&&) noexcept = default;
RuleBook& RuleBook::operator=(RuleBook&&) noexcept = default;
RuleBook::~RuleBook() = default;

// The rules of one folder: one id twice is a mistake, an id of an earlier folder is replaced.
Result<void> RuleBook::add(std::vector<Rule> rules) {
  std::map<std::string, std::string> origin_of;
  for (Rule& rule : rules) {
    auto const [known, is_new] = origin_of.emplace(rule.id, rule.origin);
    if (!is_new) {
      return fail(ErrorKind::usage, fmt::format("{}: rule '{}' stands in {} too; keep one",
                                                rule.origin, rule.id, known->second));
    }
    auto const same = [&](Rule const& other) { return other.id == rule.id; };
    auto const found = std::find_if(rules_.begin(), rules_.end(), same);
    if (found == rules_.end()) {
      rules_.push_back(std::move(rule));
    } else {
      *found = std::move(rule);
    }
  }
  return {};
}

Result<void> RuleBook::compile() {
  automaton_ = std::make_unique<Automaton>();
  for (std::size_t number = 0; number < rules_.size(); ++number) {
    Rule const& rule = rules_[number];
    std::vector<std::string> const* const lists[] = {&rule.match, &rule.also, &rule.unless};
    for (std::size_t use = 0; use < 3; ++use) {
      for (std::size_t index = 0; index < lists[use]->size(); ++index) {
        std::string const& pattern = (*lists[use])[index];
        auto single = std::make_unique<RE2>(pattern, options());
        std::string error = single->ok() ? "" : single->error();
        if (error.empty() && single->Match("", 0, 0, RE2::UNANCHORED, nullptr, 0))
          error = "it matches every line";
        if (error.empty() && automaton_->set.Add("(?m:" + pattern + ")", &error) < 0 &&
            error.empty())
          error = "not accepted";
        if (!error.empty()) {
          return fail(ErrorKind::usage,
                      fmt::format("{}: rule '{}': pattern '{}': {}; the syntax is RE2's",
                                  rule.origin, rule.id, printable(pattern, 80), error));
        }
        patterns_.push_back({number, static_cast<PatternUse>(use), index});
        automaton_->single.push_back(std::move(single));
      }
    }
  }
  if (automaton_->set.Compile()) return {};
  return fail(ErrorKind::usage, "the rules are too many for one automaton; remove some of --rules");
}

Result<RuleBook> RuleBook::load(std::vector<fs::path> const& folders) {
  RuleBook book;
  std::vector<Rule> built_in;
  auto const append = [](std::vector<Rule>& all, std::vector<Rule> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  };
  for (EmbeddedFile const& file : embedded::rules()) {
    Result<std::vector<Rule>> rules = parse_rules(file.text, fmt::format("built-in {}", file.name));
    if (!rules) return tl::unexpected<Error>(rules.error());
    append(built_in, std::move(*rules));
  }
  Result<void> added = book.add(std::move(built_in));
  for (fs::path const& folder : folders) {
    if (!added) break;
    Result<std::vector<fs::path>> const files = rule_files(folder);
    if (!files) return tl::unexpected<Error>(files.error());
    std::vector<Rule> own;
    for (fs::path const& file : *files) {
      Result<std::string> const text = read_file(file);
      if (!text) return in_context("--rules", text.error());
      Result<std::vector<Rule>> rules = parse_rules(*text, file.string());
      if (!rules) return in_context("--rules", rules.error());
      append(own, std::move(*rules));
    }
    added = book.add(std::move(own));
  }
  if (added) added = book.compile();
  if (!added) return tl::unexpected<Error>(added.error());
  return book;
}

Rule const* RuleBook::find(std::string_view id) const {
  auto const same = [&](Rule const& rule) { return rule.id == id; };
  auto const found = std::find_if(rules_.begin(), rules_.end(), same);
  return found == rules_.end() ? nullptr : &*found;
}

bool RuleBook::matches_any(std::string_view lines) const {
  RE2::Set::ErrorInfo error{RE2::Set::kNoError};
  return automaton_->set.Match({lines.data(), lines.size()}, nullptr, &error) ||
         error.kind != RE2::Set::kNoError;
}

void RuleBook::match(std::string_view line, std::vector<int>& found) const {
  found.clear();
  re2::StringPiece const text(line.data(), line.size());
  RE2::Set::ErrorInfo error{RE2::Set::kNoError};
  if (automaton_->set.Match(text, &found, &error) || error.kind == RE2::Set::kNoError) return;
  for (std::size_t i = 0; i < automaton_->single.size(); ++i) {
    if (RE2::PartialMatch(text, *automaton_->single[i])) found.push_back(static_cast<int>(i));
  }
}

}  // namespace zl::check
