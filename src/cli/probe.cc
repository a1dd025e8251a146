// explain --probe: variations of a failing run, cheapest first, each a process of its own with a
// limit.
#include "cli/probe.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/subprocess.h"
#include "batch/scheduler.h"
#include "check/explain_run.h"
#include "check/probes.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/operations.h"
#include "cli/prepare.h"

namespace zl::cli {

namespace {

// Probes report by their own lines.
class Silent : public results::Observer {
 public:
  void on_event(results::Event const&) override {}
  void on_activity(std::vector<results::Activity> const&) override {}
};

struct Tried {
  check::ProbeOutcome outcome;
  std::string text;         // how it ended, one line
  std::string first_dtype;  // of the first case that failed
  bool is_interrupted = false;
  bool has_nothing = false;  // it could not be tried here
};

class Prober {
 public:
  Prober(Context const& context, check::RuleBook const& book) : context_(context), book_(book) {}

  Result<int> run() {
    Result<std::vector<check::Probe>> const probes = check::load_probes();
    if (!probes) return tl::unexpected<Error>(probes.error());
    context_.options.operators = {context_.options.probe};
    Result<Tried> const reference = try_operator(context_, {});
    if (!reference) return tl::unexpected<Error>(reference.error());
    say("as it is", reference->text);
    if (reference->is_interrupted) return kInterrupted;
    if (reference->outcome.is_ok) return finish("it does not fail: there is nothing to probe");
    first_dtype_ = reference->first_dtype;
    for (check::Probe const& probe : *probes) {
      Result<Tried> const tried =
          probe.script.empty() ? try_operator(varied(probe), probe) : try_script(probe);
      if (!tried) return tl::unexpected<Error>(tried.error());
      say(probe.what, tried->text);
      if (tried->is_interrupted) return kInterrupted;
      if (tried->has_nothing) continue;
      if (!check::changes_failure(probe, reference->outcome, tried->outcome)) continue;
      class_word_ = probe.in_class->word;
      return finish(fmt::format("{}: {}", probe.in_class->title, probe.says));
    }
    return finish("no probe changes the failure: it is the operator's own");
  }

 private:
  void say(std::string const& what, std::string const& how) {
    lines_.push_back({{"probe", what}, {"outcome", how}});
    fmt::print(stderr, "{}: {}\n", what, how);
  }

  Result<int> finish(std::string const& verdict) {
    Json const object{{"operator", context_.options.probe},
                      {"class", class_word_.empty() ? Json() : Json(class_word_)},
                      {"verdict", verdict},
                      {"probes", lines_}};
    print_out(context_.options.json
                  ? object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                  : fmt::format("{}: {}\n", context_.options.probe, verdict));
    return kOk;
  }

  Context varied(check::Probe const& probe) const {
    Context varied = context_;
    run::PlanOptions& plan = varied.options.plan;
    if (probe.is_smallest) {
      Result<run::ShapeChoice> const small = parse_shapes("small");
      if (small) plan.shapes = *small;
      if (plan.dtypes.empty() && !first_dtype_.empty()) plan.dtypes = {first_dtype_};
    }
    if (!probe.timer.empty()) plan.timer = probe.timer;
    plan.corpus_arguments.insert(plan.corpus_arguments.end(), probe.corpus_arguments.begin(),
                                 probe.corpus_arguments.end());
    for (auto const& [name, value] : probe.environment) varied.environment[name] = value;
    return varied;
  }

  // The nodes of the operator's accuracy test take the place of the benchmark's.
  Result<bool> take_accuracy_nodes(Context const& context, Prepared& prepared) const {
    if (prepared.request.provider != "flaggems") return false;
    Result<Catalogue> const catalogue =
        open_catalogue(context, prepared.request.provider, provider::NodeKind::tests);
    if (!catalogue) return tl::unexpected<Error>(catalogue.error());
    provider::ProviderCase operation = catalogue->find(context.options.probe);
    if (!operation.problem.empty()) return false;
    prepared.request.operations = {std::move(operation)};
    return true;
  }

  Result<Tried> try_operator(Context const& context, check::Probe const& probe) {
    Tried tried;
    Result<Prepared> prepared = prepare(context, 1, true);
    if (!prepared && !probe.timer.empty()) {
      tried.has_nothing = true;
      tried.text = "not tried: " + prepared.error().text;
      return tried;
    }
    if (!prepared) return tl::unexpected<Error>(prepared.error());
    if (probe.is_accuracy) {
      Result<bool> const has_test = take_accuracy_nodes(context, *prepared);
      if (!has_test) return tl::unexpected<Error>(has_test.error());
      tried.has_nothing = !*has_test;
      if (tried.has_nothing) {
        tried.text = "not tried: it has no accuracy test";
        return tried;
      }
    }
    plan_ = prepared->plan;
    prepared->request.name = batch::new_batch_name(prepared->request.backend);
    Result<batch::BatchPaths> const paths =
        batch::create_batch(context.options.runs, prepared->request);
    if (!paths) return tl::unexpected<Error>(paths.error());
    return run_and_read(*prepared, *paths, probe);
  }

  Result<Tried> run_and_read(Prepared const& prepared, batch::BatchPaths const& paths,
                             check::Probe const& probe) {
    Silent silent;
    batch::SchedulerSetup setup{paths,
                                prepared.request,
                                prepared.request.operations,
                                {},
                                false,
                                prepared.plan,
                                {prepared.devices.begin(), prepared.devices.end()}};
    batch::Scheduler scheduler(std::move(setup), silent);
    Result<batch::BatchEnd> const end = scheduler.run();
    if (!end) return tl::unexpected<Error>(end.error());
    Tried tried;
    tried.is_interrupted = *end == batch::BatchEnd::interrupted;
    Result<batch::StoredBatch> const stored = batch::open_batch(paths.folder);
    if (!stored) return tl::unexpected<Error>(stored.error());
    std::string const& op = prepared.request.operations.front().op;
    results::OpState const* const state = stored->state.find(op);
    if (state == nullptr || !state->result) {
      tried.text = "interrupted";
      return tried;
    }
    results::OpResult const& result = *state->result;
    Result<check::Explanation> const why =
        check::explain_run(book_, {paths.events(), paths.run_dir(op), op}, result, stored->state);
    if (!why) return tl::unexpected<Error>(why.error());
    bool const is_good_test = probe.is_accuracy && result.exit_status == 0 &&
                              result.status == results::Status::no_numbers;
    tried.outcome.is_ok = result.status == results::Status::passed || is_good_test;
    tried.outcome.signature = why->signature();
    tried.text = tried.outcome.is_ok
                     ? fmt::format("passes, {:.1f} s", result.duration_s)
                     : fmt::format("{}, {}, {:.1f} s ({})", results::to_text(result.status),
                                   why->cause(), result.duration_s, paths.run_dir(op).string());
    for (results::Case const& one : state->cases) {
      if (one.status != results::CaseStatus::failed) continue;
      tried.first_dtype = one.dtype;
      break;
    }
    return tried;
  }

  // Where the operators do not run in Python there is nothing that a script could say of them.
  Result<Tried> try_script(check::Probe const& probe) {
    Tried tried;
    tried.has_nothing = plan_.places.corpus.empty();
    if (tried.has_nothing) {
      tried.text = "not tried: the operator does not run in Python";
      return tried;
    }
    plan_.operation.op = context_.options.probe;
    plan_.operation.provider = "flaggems";
    plan_.places.run_dir = fs::absolute(context_.options.runs) / "probes";
    plan_.places.cache_dir = plan_.places.run_dir / "cache";
    Result<run::Plan> const plan = run::make_plan(plan_);
    if (!plan) return tl::unexpected<Error>(plan.error());
    Result<void> const made = make_folder(plan_.places.run_dir);
    if (!made) return tl::unexpected<Error>(made.error());
    fs::path const script = plan_.places.run_dir / probe.script;
    Result<void> const written = write_file_atomic(script, check::probe_script(probe.script));
    if (!written) return tl::unexpected<Error>(written.error());
    SpawnRequest request;
    request.argv = {plan_.places.python, script.string(), plan_.backend->torch_device,
                    plan_.backend->torch_module.value_or("")};
    request.environment = with_changes(context_.environment, plan->environment);
    request.working_directory = plan_.places.run_dir;
    double const limit_s = context_.options.plan.time_limit_s;
    Result<CommandOutput> const output = run_command(request, limit_s);
    if (!output) return tl::unexpected<Error>(output.error());
    tried.outcome.is_ok = !output->timed_out && output->status.code == 0;
    check::Reading reading = check::read_text(book_, output->out, probe.script);
    std::string const cause = check::explain(book_, probe.script, {}, {std::move(reading)}).cause();
    tried.text = tried.outcome.is_ok ? "passes"
                 : output->timed_out ? fmt::format("no end within {:g} s", limit_s)
                                     : fmt::format("{}, {}: {}", output->status.describe(), cause,
                                                   last_line(output->out));
    return tried;
  }

  static std::string last_line(std::string const& text) {
    std::vector<std::string> const lines = split(trim(text), '\n');
    return printable(to_valid_utf8(lines.back()), 200);
  }

  Context context_;
  check::RuleBook const& book_;
  run::PlanRequest plan_;  // of the reference, for the scripts
  std::string first_dtype_;
  std::string class_word_;
  Json lines_ = Json::array();
};

}  // namespace

Result<int> probe_operator(Context const& context, check::RuleBook const& book) {
  return Prober(context, book).run();
}

}  // namespace zl::cli
