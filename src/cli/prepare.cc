#include "cli/prepare.h"

#include <fmt/format.h>

#include "base/host.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "batch/jobs.h"
#include "batch/order.h"
#include "cli/operations.h"
#include "run/plugin_folder.h"

namespace zl::cli {

namespace {

// Which flag, variable or find chose the backend: part of the identity.
std::string backend_reason(Context const& context, Target const& target) {
  if (!context.options.backend_from.empty()) return context.options.backend_from;
  for (std::string const& note : target.notes) {
    if (starts_with(note, "chosen: ")) return note;
  }
  return "the batch's own request";
}

// The parts of a plan that are the same for every operator of a batch.
Result<run::PlanRequest> plan_template(Context const& context, Target const& target,
                                       batch::BatchRequest const& request) {
  run::PlanRequest plan;
  plan.backend = target.backend;
  plan.backend_reason = backend_reason(context, target);
  plan.known_vendors = context.registry.vendors();
  plan.options = request.options;
  plan.caller = context.environment;
  plan.places.python = request.python;
  plan.places.corpus = request.corpus;
  Result<fs::path> const self = own_executable();
  if (!self) return tl::unexpected<Error>(self.error());
  plan.places.self = *self;
  if (request.provider == "native") return plan;
  Result<fs::path> const plugins =
      run::unpack_plugins(context.environment, fs::absolute(context.options.runs));
  if (!plugins) return tl::unexpected<Error>(plugins.error());
  plan.places.python_folder = *plugins;
  Result<fs::path> const engine = run::unpack_engine(*plugins);
  if (!engine) return tl::unexpected<Error>(engine.error());
  plan.places.engine_library = *engine;
  return plan;
}

Result<void> check_selection(std::vector<provider::ProviderCase> const& operations) {
  for (provider::ProviderCase const& operation : operations) {
    if (operation.problem.empty()) return {};
  }
  if (operations.empty()) return fail(ErrorKind::nothing_selected, "no operator is selected");
  return fail(ErrorKind::nothing_selected,
              operations.front().op + ": " + operations.front().problem);
}

int jobs_of(Context const& context, Prepared const& prepared) {
  if (context.options.jobs_per_device > 0) return context.options.jobs_per_device;
  return batch::default_jobs_per_device(batch::host_share(), prepared.devices.size(),
                                        prepared.plan.backend->is_host());
}

// The part of a selection that --shard leaves; problems of the others are none of ours.
Result<void> keep_shard(std::string const& text, batch::BatchRequest& request) {
  if (text.empty()) return {};
  Result<batch::Shard> const shard = batch::parse_shard(text);
  if (!shard) return tl::unexpected<Error>(shard.error());
  std::size_t const all = request.operations.size();
  request.shard = fmt::format("{}/{}", shard->index, shard->of);
  request.operations = batch::of_shard(request.operations, *shard);
  if (!request.operations.empty()) return {};
  return fail(
      ErrorKind::nothing_selected,
      fmt::format("--shard {}: nothing is left for it of {} operators", request.shard, all));
}

// A plan for the first operator, only to hear early of what is wrong with all of them.
Result<void> check_plan(Prepared const& prepared) {
  run::PlanRequest trial = prepared.plan;
  trial.operation = prepared.request.operations.front();
  trial.operation.provider = prepared.request.provider;
  Result<run::Plan> const plan = run::make_plan(trial);
  if (!plan) return tl::unexpected<Error>(plan.error());
  return {};
}

}  // namespace

Result<Prepared> prepare(Context const& context, std::size_t default_devices, bool devices_needed) {
  Options const& options = context.options;
  Result<Target> const target = find_target(context);
  if (!target) return tl::unexpected<Error>(target.error());
  Result<std::string> const provider = choose_provider(context, *target->backend);
  if (!provider) return tl::unexpected<Error>(provider.error());
  Result<Selection> selection = select_operations(context, *provider);
  if (!selection) return tl::unexpected<Error>(selection.error());
  Result<void> const selected = check_selection(selection->operations);
  if (!selected) return tl::unexpected<Error>(selected.error());
  Prepared prepared;
  prepared.notes = target->notes;
  prepared.notes.insert(prepared.notes.end(), selection->notes.begin(), selection->notes.end());
  Result<std::vector<backend::Device>> const devices =
      choose_devices(*target, options.devices, default_devices);
  if (devices) {
    prepared.devices = *devices;
  } else if (devices_needed || !target->visible.empty()) {
    return tl::unexpected<Error>(devices.error());
  }
  batch::BatchRequest& request = prepared.request;
  request.created_utc = utc_now();
  request.backend = target->backend->name;
  for (std::string const& folder : options.backend_dirs)
    request.backend_dirs.push_back(fs::absolute(folder).string());
  request.devices = options.devices;
  request.provider = *provider;
  if (*provider == "flaggems")
    request.corpus = fs::weakly_canonical(fs::absolute(options.corpus)).string();
  request.python = options.python;
  request.options = options.plan;
  request.operations = std::move(selection->operations);
  Result<void> const kept = keep_shard(options.shard, request);
  if (!kept) return tl::unexpected<Error>(kept.error());
  Result<run::PlanRequest> plan = plan_template(context, *target, request);
  if (!plan) return tl::unexpected<Error>(plan.error());
  prepared.plan = std::move(*plan);
  prepared.jobs_per_device = jobs_of(context, prepared);
  prepared.plan.seat.of = prepared.jobs_per_device;
  Result<void> const checked = check_plan(prepared);
  if (!checked) return tl::unexpected<Error>(checked.error());
  return prepared;
}

Result<Prepared> prepare_resume(Context const& context, batch::BatchRequest const& request) {
  Prepared prepared;
  prepared.request = request;
  Result<Target> const target = find_target(context);
  if (!target) return tl::unexpected<Error>(target.error());
  prepared.notes = target->notes;
  std::string const asked =
      context.options.devices.empty() ? request.devices : context.options.devices;
  Result<std::vector<backend::Device>> const devices = choose_devices(*target, asked, 0);
  if (!devices) return tl::unexpected<Error>(devices.error());
  prepared.devices = *devices;
  Result<run::PlanRequest> plan = plan_template(context, *target, request);
  if (!plan) return tl::unexpected<Error>(plan.error());
  prepared.plan = std::move(*plan);
  prepared.jobs_per_device = jobs_of(context, prepared);
  prepared.plan.backend_reason = "the batch's own request";
  return prepared;
}

Result<void> check_python(Prepared const& prepared) {
  if (prepared.request.provider == "native") return {};
  std::string const& python = prepared.request.python;
  SpawnRequest request;
  request.argv = {python, "-c", "import pytest"};
  request.environment = prepared.plan.caller;
  request.working_directory = "/";
  Result<CommandOutput> const output = run_command(request, 60);
  if (!output) return in_context("--python (ZL_PYTHON)", output.error());
  if (output->timed_out) {
    return fail(ErrorKind::environment,
                fmt::format("'{} -c \"import pytest\"' did not end within 60 s", python));
  }
  if (output->status.code == 0) return {};
  std::vector<std::string> const lines = split(trim(output->out), '\n');
  return fail(
      ErrorKind::environment,
      fmt::format(
          "{} cannot import pytest ({}): install it there (pip install pytest), or name another "
          "Python with --python or ZL_PYTHON",
          python, printable(lines.back(), 200)));
}

}  // namespace zl::cli
