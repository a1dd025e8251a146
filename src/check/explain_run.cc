#include "check/explain_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json.h"

namespace zl::check {

namespace {

constexpr std::size_t kMostNames = 12;

RunPlace place_of(std::filesystem::path const& folder, results::OpResult const& result) {
  std::string const name = result.run_dir.empty() ? result.op : result.run_dir;
  return {folder / "events.jsonl", folder / name, result.op};
}

Explanation explain_with(RuleBook const& book, RunEvidence const& evidence,
                         results::OpResult const& result, results::BatchState const& batch) {
  Explanation alone = explain(book, result.op, evidence.facts, evidence.readings);
  Facts facts = evidence.facts;
  add_batch_facts(facts, batch, result, alone);
  return explain(book, result.op, facts, evidence.readings);
}

// What is told apart: a rule; without a signature, the exception itself.
std::string key_of(Explanation const& explanation) {
  return explanation.cause() + "\n" + explanation.signature();
}

}  // namespace

Result<Explanation> explain_run(RuleBook const& book, RunPlace const& place,
                                results::OpResult const& result, results::BatchState const& batch,
                                FileFacts const& file_facts) {
  Result<RunEvidence> const evidence = read_run(book, place, result, file_facts);
  if (!evidence) return tl::unexpected<Error>(evidence.error());
  return explain_with(book, *evidence, result, batch);
}

bool spoils_a_pass(Explanation const& explanation) {
  return explanation.rule != nullptr && (explanation.in_class->word == "meaningless" ||
                                         explanation.in_class->word == "wrong-result");
}

Result<std::vector<Group>> explain_batch(RuleBook const& book, std::filesystem::path const& folder,
                                         results::BatchState batch, FileFacts const& file_facts) {
  struct Run {
    results::OpResult result;
    RunEvidence evidence;
  };
  std::vector<Run> runs;
  for (results::OpState const& state : batch.operators()) {
    if (!state.result) continue;
    Result<RunEvidence> evidence =
        read_run(book, place_of(folder, *state.result), *state.result, file_facts);
    if (!evidence) return in_context(state.op, evidence.error());
    runs.push_back({*state.result, std::move(*evidence)});
  }
  // The causes as these rules see them, whatever the batch's own rules said.
  for (Run const& run : runs) {
    results::OpResult seen = run.result;
    seen.cause = explain(book, seen.op, run.evidence.facts, run.evidence.readings).cause();
    batch.apply(results::RunEnded{seen});
  }
  std::vector<Group> groups;
  for (Run const& run : runs) {
    Explanation explanation = explain_with(book, run.evidence, run.result, batch);
    if (run.result.status == results::Status::passed && !spoils_a_pass(explanation)) continue;
    auto const same = [&](Group const& group) {
      return key_of(group.first) == key_of(explanation);
    };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) found = groups.insert(groups.end(), {std::move(explanation), {}});
    found->operators.push_back(run.result.op);
  }
  std::stable_sort(groups.begin(), groups.end(), [](Group const& a, Group const& b) {
    if (a.operators.size() != b.operators.size()) return a.operators.size() > b.operators.size();
    return a.first.in_class->rank < b.first.in_class->rank;
  });
  return groups;
}

std::string to_text(std::vector<Group> const& groups, std::filesystem::path const& folder) {
  std::string text;
  for (Group const& group : groups) {
    Explanation const& first = group.first;
    std::vector<std::string> names(
        group.operators.begin(),
        group.operators.begin() +
            static_cast<std::ptrdiff_t>(std::min(kMostNames, group.operators.size())));
    std::string const more = group.operators.size() > kMostNames
                                 ? fmt::format(" and {} more", group.operators.size() - kMostNames)
                                 : "";
    text += fmt::format("{:>4}  {}: {}\n      {}{}\n", group.operators.size(), first.cause(),
                        first.rule == nullptr ? "no rule knows it" : first.rule->verdict,
                        join(names, ", "), more);
    if (first.rule == nullptr && first.first_exception)
      text += "      " + printable(first.first_exception->text, 200) + "\n";
    if (first.rule != nullptr) text += "      next: " + first.rule->remedy + "\n";
  }
  if (groups.empty()) return "every operator passed; nothing to explain\n";
  return text + fmt::format("one of them whole: zlbench explain {}\n",
                            shell_quote((folder / groups.front().operators.front()).string()));
}

std::string to_json_text(std::vector<Group> const& groups) {
  Json list = Json::array();
  for (Group const& group : groups) {
    list.push_back({{"cause", group.first.cause()},
                    {"operators", group.operators},
                    {"first", parse_json(to_json_text(group.first)).value_or(Json())}});
  }
  return Json{{"format", 1}, {"groups", list}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace zl::check
