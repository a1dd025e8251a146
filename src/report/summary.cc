#include "report/summary.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/show.h"

namespace zl::report {

namespace {

using results::OpState;

constexpr std::size_t kMostSlow = 5;
constexpr std::size_t kMostCauses = 10;
constexpr std::size_t kMostNames = 6;  // of one cause

// Without what differs from operator to operator of one cause: its shape, its phase's case.
std::string first_cause(results::OpResult const& result) {
  std::string text = result.reason.substr(0, result.reason.find("; attempt "));
  std::size_t const first = text.find("first in ");
  if (first != std::string::npos) text.erase(0, first + 9);
  for (char const* const mark : {" (shape ", " of case "}) text = text.substr(0, text.find(mark));
  return fmt::format("{}: {}", results::to_text(result.status), printable(text, 160));
}

std::string names_text(std::vector<std::string> const& names) {
  std::size_t const shown = std::min(names.size(), kMostNames);
  std::string text = join({names.begin(), names.begin() + static_cast<long>(shown)}, ", ");
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string slowest_text(results::BatchState const& batch) {
  std::vector<results::OpResult const*> ended;
  for (OpState const& state : batch.operators()) {
    if (state.result && state.result->duration_s > 0) ended.push_back(&*state.result);
  }
  std::size_t const count = std::min(ended.size(), kMostSlow);
  std::partial_sort(ended.begin(), ended.begin() + static_cast<long>(count), ended.end(),
                    [](auto const* a, auto const* b) { return a->duration_s > b->duration_s; });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back(fmt::format("{} {}", ended[i]->op, duration_text(ended[i]->duration_s)));
  return parts.empty() ? "" : "slowest: " + join(parts, ", ") + "\n";
}

struct Cause {
  std::string name;  // as explain names it; the first reason where nobody has
  std::string example;
  std::vector<std::string> operators;
};

std::vector<Cause> causes_of(results::BatchState const& batch) {
  std::vector<Cause> causes;
  for (OpState const& state : batch.operators()) {
    if (!state.result) continue;
    bool const is_named = !state.result->cause.empty();
    if (!is_named && !results::is_failure(state.result->status)) continue;
    std::string const reason = first_cause(*state.result);
    std::string const& name = is_named ? state.result->cause : reason;
    auto found = std::find_if(causes.begin(), causes.end(),
                              [&](Cause const& one) { return one.name == name; });
    if (found == causes.end()) {
      found = causes.insert(causes.end(), {name, is_named ? reason : "", {}});
    }
    found->operators.push_back(state.op);
  }
  std::stable_sort(causes.begin(), causes.end(), [](Cause const& a, Cause const& b) {
    return a.operators.size() > b.operators.size();
  });
  return causes;
}

std::string causes_text(results::BatchState const& batch) {
  std::vector<Cause> const causes = causes_of(batch);
  std::string text = causes.empty() ? "" : "causes, largest first:\n";
  for (std::size_t i = 0; i < std::min(causes.size(), kMostCauses); ++i) {
    Cause const& cause = causes[i];
    text += fmt::format("  {:>4}  {}: {}\n", cause.operators.size(), cause.name,
                        names_text(cause.operators));
    if (!cause.example.empty()) text += fmt::format("        {}\n", cause.example);
  }
  if (causes.size() > kMostCauses)
    text += fmt::format("  and {} more causes\n", causes.size() - kMostCauses);
  return text;
}

bool has_failures(results::BatchState const& batch) {
  return std::any_of(batch.operators().begin(), batch.operators().end(), [](OpState const& state) {
    return !state.result || results::is_failure(state.result->status);
  });
}

}  // namespace

std::string summary_text(results::BatchState const& batch, std::string const& folder) {
  std::string text = summary_line(batch) + "\n" + slowest_text(batch) + causes_text(batch);
  text += fmt::format("results: {}\n", folder);
  if (!has_failures(batch)) return text;
  return text +
         fmt::format("next: zlbench explain {0}; zlbench show {0} --cases\n", shell_quote(folder));
}

}  // namespace zl::report
