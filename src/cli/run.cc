// plan, run, batch: one preparation, one scheduler.
#include <fmt/format.h>

#include "base/text.h"
#include "batch/order.h"
#include "batch/scheduler.h"
#include "check/explain_run.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/prepare.h"
#include "report/cases.h"
#include "report/progress.h"
#include "report/show.h"
#include "report/summary.h"

namespace zl::cli {

namespace {

// Of a table at the end of a batch; a longer one is for `show`.
constexpr std::size_t kMostRows = 40;

std::vector<std::optional<backend::Device>> slots_of(Prepared const& prepared) {
  return {prepared.devices.begin(), prepared.devices.end()};
}

// What a batch leaves for its user: table, failures, and where everything lies.
Result<void> print_results(Context const& context, batch::BatchPaths const& paths,
                           bool with_cases) {
  Result<batch::StoredBatch> const stored = batch::open_batch(paths.folder);
  if (!stored) return tl::unexpected<Error>(stored.error());
  if (context.options.json) {
    print_out(report::to_json_text(stored->state, paths.folder.string()));
    return {};
  }
  std::string text;
  if (with_cases) text += report::to_text(report::case_table(stored->state)) + "\n";
  if (stored->state.operators().size() <= kMostRows)
    text += report::to_text(report::operator_table(stored->state)) + "\n";
  text += report::summary_text(stored->state, paths.folder.string());
  print_out(text);
  return {};
}

// What names the cause of a run that is no success. A log that cannot be read costs its cause only.
auto cause_namer(check::RuleBook const& book, batch::BatchPaths const& paths) {
  return [&book, paths](results::BatchState const& state, results::OpResult const& result) {
    Result<check::Explanation> const explanation = check::explain_run(
        book, {paths.events(), paths.run_dir(result.op), result.op}, result, state);
    return explanation ? explanation->cause() : std::string();
  };
}

int exit_code_of(batch::BatchEnd end, results::BatchState const& state) {
  if (end == batch::BatchEnd::interrupted) return kInterrupted;
  for (results::OpState const& op : state.operators()) {
    if (!op.result || results::is_failure(op.result->status)) return kOperatorsFailed;
  }
  return kOk;
}

Result<int> execute(Context const& context, batch::SchedulerSetup setup, bool with_cases) {
  Terminal terminal(2, context.environment);
  int const total = static_cast<int>(setup.request.operations.size());
  int const done = total - static_cast<int>(setup.work.size());
  auto const detail =
      context.options.quiet ? report::Progress::Detail::quiet : report::Progress::Detail::lines;
  report::Progress progress(terminal, detail, total, done);
  batch::BatchPaths const paths = setup.paths;
  Result<check::RuleBook> const book =
      check::RuleBook::load({context.options.rules.begin(), context.options.rules.end()});
  if (!book) return tl::unexpected<Error>(book.error());
  setup.name_cause = cause_namer(*book, paths);
  batch::Scheduler scheduler(std::move(setup), progress);
  Result<batch::BatchEnd> const end = scheduler.run();
  terminal.clear_status();
  if (!end)
    return in_context(
        fmt::format(
            "the batch stopped; what is done is kept: resume with `zlbench batch --resume {}`",
            paths.folder.string()),
        end.error());
  Result<void> const printed = print_results(context, paths, with_cases);
  if (!printed) return tl::unexpected<Error>(printed.error());
  if (*end == batch::BatchEnd::interrupted) {
    fmt::print(stderr, "interrupted; resume with: zlbench batch --resume {}\n",
               shell_quote(paths.folder.string()));
  }
  return exit_code_of(*end, scheduler.state());
}

Result<int> start_batch(Context const& context, std::size_t default_devices, bool with_cases) {
  Result<Prepared> prepared = prepare(context, default_devices, true);
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  print_notes(prepared->notes);
  Result<void> const python = check_python(*prepared);
  if (!python) return tl::unexpected<Error>(python.error());
  // One after the other ends at the same time in any order: then it is the user's.
  if (prepared->devices.size() * static_cast<std::size_t>(prepared->jobs_per_device) > 1) {
    prepared->request.operations = batch::longest_first(
        std::move(prepared->request.operations),
        batch::known_durations(context.options.runs, prepared->request.backend));
  }
  prepared->request.name = batch::new_batch_name(prepared->request.backend);
  Result<batch::BatchPaths> const paths =
      batch::create_batch(context.options.runs, prepared->request);
  if (!paths) return tl::unexpected<Error>(paths.error());
  batch::SchedulerSetup setup{
      *paths, prepared->request, prepared->request.operations, {},
      false,  prepared->plan,    slots_of(*prepared),          prepared->jobs_per_device};
  return execute(context, std::move(setup), with_cases);
}

Result<int> resume_batch(Context const& context) {
  Result<batch::StoredBatch> stored = batch::open_batch(context.options.resume);
  if (!stored) return in_context("--resume", stored.error());
  Options options = context.options;
  options.backend = stored->request.backend;
  if (options.backend_dirs.empty()) options.backend_dirs = stored->request.backend_dirs;
  Result<Context> const again = make_context(options, context.environment);
  if (!again) return tl::unexpected<Error>(again.error());
  std::vector<provider::ProviderCase> const left =
      batch::outstanding(stored->request, stored->state);
  if (left.empty()) {
    fmt::print(stderr, "note: every operator of this batch has its result\n");
    Result<void> const printed = print_results(context, stored->paths, false);
    if (!printed) return tl::unexpected<Error>(printed.error());
    return exit_code_of(batch::BatchEnd::finished, stored->state);
  }
  Result<Prepared> const prepared = prepare_resume(*again, stored->request);
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  print_notes(prepared->notes);
  Result<void> const python = check_python(*prepared);
  if (!python) return tl::unexpected<Error>(python.error());
  batch::SchedulerSetup setup{stored->paths,
                              stored->request,
                              left,
                              std::move(stored->state),
                              stored->log.events > 0,
                              prepared->plan,
                              slots_of(*prepared),
                              prepared->jobs_per_device};
  return execute(*again, std::move(setup), false);
}

}  // namespace

namespace {

// plan and run are for a few operators: without any named they are not for all.
Result<void> check_named(Context const& context) {
  Options const& options = context.options;
  if (!options.operators.empty() || !options.test_node.empty() || !options.op_file.empty())
    return {};
  return fail(
      ErrorKind::usage,
      fmt::format("{0} needs an operator: zlbench {0} OP, or OP, OP_FILE or TEST_NODE in the "
                  "environment",
                  options.command));
}

}  // namespace

Result<int> run_plan(Context const& context) {
  Result<void> const named = check_named(context);
  if (!named) return tl::unexpected<Error>(named.error());
  Result<Prepared> const prepared = prepare(context, 1, false);
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  print_notes(prepared->notes);
  // A run's folder has a name only once it exists: BATCH stands for it.
  batch::BatchPaths const paths{fs::absolute(context.options.runs) / "BATCH"};
  bool is_first = true;
  for (provider::ProviderCase const& operation : prepared->request.operations) {
    if (!operation.problem.empty())
      return fail(ErrorKind::nothing_selected, operation.op + ": " + operation.problem);
    run::PlanRequest request = prepared->plan;
    request.operation = operation;
    if (!prepared->devices.empty()) request.device = prepared->devices.front();
    request.places.run_dir = paths.run_dir(operation.op);
    request.places.cache_dir = paths.caches();
    Result<run::Plan> const plan = run::make_plan(request);
    if (!plan) return tl::unexpected<Error>(plan.error());
    if (!is_first && !context.options.json) print_out("\n");
    print_out(context.options.json ? run::to_json_text(*plan) : run::to_text(*plan));
    is_first = false;
  }
  return kOk;
}

Result<int> run_run(Context const& context) {
  Result<void> const named = check_named(context);
  if (!named) return tl::unexpected<Error>(named.error());
  return start_batch(context, 1, true);
}

Result<int> run_batch(Context const& context) {
  int const ways = !context.options.ops.empty() + !context.options.ops_file.empty() +
                   !context.options.stage.empty() + !context.options.resume.empty();
  if (ways > 1)
    return fail(ErrorKind::usage, "--ops, --ops-file, --stage and --resume exclude one another");
  if (!context.options.shard.empty() && !context.options.resume.empty())
    return fail(ErrorKind::usage,
                "--shard and --resume exclude one another: a batch keeps its shard");
  return context.options.resume.empty() ? start_batch(context, 0, false) : resume_batch(context);
}

}  // namespace zl::cli
