// explain: why an operator did not run, from what a run left behind.
#include <fmt/format.h>

#include "base/json.h"
#include "batch/batch_folder.h"
#include "check/explain_run.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/probe.h"

namespace zl::cli {

namespace {

std::vector<fs::path> rule_folders(Context const& context) {
  return {context.options.rules.begin(), context.options.rules.end()};
}

void print(Context const& context, check::Explanation const& explanation) {
  print_out(context.options.json ? check::to_json_text(explanation) + "\n"
                                 : check::to_text(explanation));
}

// A log alone: of the run nothing is known but what --backend says.
Result<int> explain_log(Context const& context, check::RuleBook const& book) {
  fs::path const path = context.options.log;
  std::error_code code;
  if (!fs::exists(path, code))
    return fail(ErrorKind::usage, fmt::format("--log {}: no such file", path.string()));
  check::Facts facts;
  if (!context.options.backend.empty()) {
    Result<backend::Descriptor const*> const backend =
        context.registry.find(context.options.backend);
    if (!backend) return tl::unexpected<Error>(backend.error());
    facts.set("backend", (*backend)->name);
    if (!(*backend)->vendor.empty()) facts.set("vendor", (*backend)->vendor);
  }
  Result<check::Reading> reading = check::read_log_file(book, path, path.filename().string());
  if (!reading) return tl::unexpected<Error>(reading.error());
  print(context, check::explain(book, path.filename().string(), facts, {std::move(*reading)}));
  return kOk;
}

// A run folder that came without its batch: the log and what lies beside it.
Result<int> explain_lone_folder(Context const& context, check::RuleBook const& book,
                                fs::path const& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code)) {
    return fail(ErrorKind::usage, fmt::format("{} is no folder of a run or a batch; a log alone: "
                                              "zlbench explain --log FILE",
                                              folder.string()));
  }
  if (!fs::exists(folder / "run.log", code) && !fs::exists(folder / "events.jsonl", code)) {
    return fail(ErrorKind::usage,
                fmt::format("{} has neither batch.json, events.jsonl nor run.log: it is no folder "
                            "of a run or a batch",
                            folder.string()));
  }
  Result<std::string> const plan = read_file(folder / "plan.json");
  std::optional<Json> const json = plan ? parse_json(*plan) : std::nullopt;
  std::string const op = (json ? string_field(*json, "operator") : std::nullopt)
                             .value_or(fs::weakly_canonical(folder, code).filename().string());
  Result<check::RunEvidence> const evidence =
      check::read_run(book, {folder / "events.jsonl", folder, op}, std::nullopt);
  if (!evidence) return tl::unexpected<Error>(evidence.error());
  print(context, check::explain(book, op, evidence->facts, evidence->readings));
  return kOk;
}

Result<int> explain_one(Context const& context, check::RuleBook const& book,
                        batch::StoredBatch const& stored, std::string const& op) {
  results::OpState const* const state = stored.state.find(op);
  if (state == nullptr || !state->result) {
    return fail(ErrorKind::usage,
                fmt::format("{} has no result in {}: it still runs, or was interrupted "
                            "(`zlbench batch --resume` goes on)",
                            op, stored.paths.folder.string()));
  }
  check::RunPlace const place{stored.paths.events(), stored.paths.run_dir(op), op};
  Result<check::Explanation> const explanation =
      check::explain_run(book, place, *state->result, stored.state);
  if (!explanation) return tl::unexpected<Error>(explanation.error());
  bool const has_passed = state->result->status == results::Status::passed;
  if (has_passed && !check::spoils_a_pass(*explanation) && !context.options.json) {
    print_out(op + ": it passed; nothing to explain\n");
    return kOk;
  }
  print(context, *explanation);
  return kOk;
}

Result<int> explain_folder(Context const& context, check::RuleBook const& book) {
  fs::path const folder = context.options.folders.front();
  std::error_code code;
  fs::path const root = fs::weakly_canonical(folder, code);
  if (!fs::exists(root / "batch.json", code) &&
      !fs::exists(root.parent_path() / "batch.json", code))
    return explain_lone_folder(context, book, folder);
  Result<batch::StoredBatch> const stored = batch::open_batch(folder);
  if (!stored) return tl::unexpected<Error>(stored.error());
  if (root != stored->paths.folder)
    return explain_one(context, book, *stored, root.filename().string());
  if (stored->request.operations.size() == 1)
    return explain_one(context, book, *stored, stored->request.operations.front().op);
  Result<std::vector<check::Group>> const groups =
      check::explain_batch(book, stored->paths.folder, stored->state);
  if (!groups) return tl::unexpected<Error>(groups.error());
  print_out(context.options.json ? check::to_json_text(*groups) : check::to_text(*groups, folder));
  return kOk;
}

}  // namespace

Result<int> run_explain(Context const& context) {
  Options const& options = context.options;
  int const ways = !options.folders.empty() + !options.log.empty() + !options.probe.empty();
  if (ways != 1) {
    return fail(ErrorKind::usage,
                "explain takes one of: DIR (a run or a batch), --log FILE, --probe OP");
  }
  Result<check::RuleBook> const book = check::RuleBook::load(rule_folders(context));
  if (!book) return tl::unexpected<Error>(book.error());
  if (!options.probe.empty()) return probe_operator(context, *book);
  return options.log.empty() ? explain_folder(context, *book) : explain_log(context, *book);
}

}  // namespace zl::cli
