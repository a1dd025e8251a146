#include "run/plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "backend/visibility.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "run/timer_choice.h"

namespace zl::run {

namespace {

bool is_native(PlanRequest const& request) {
  return request.operation.provider == "native";
}

PluginChoice always(char const* name) {
  return {name, true, "", "always"};
}

PluginChoice by_capability(backend::Descriptor const& backend, char const* name) {
  bool const can = backend.can(name);
  return {name, can, name,
          fmt::format("backend {} {} capability {}", backend.name, can ? "has" : "lacks", name)};
}

std::vector<PluginChoice> choose_plugins(PlanRequest const& request) {
  if (is_native(request)) return {};
  bool const has_shapes = request.options.shapes.mode != ShapeChoice::Mode::upstream;
  return {always("device_setup"),
          always("results"),
          always("timing"),
          always("kernels"),
          {"shapes", has_shapes, "",
           has_shapes ? "shapes are chosen by the user"
                      : "SHAPE_MODE is upstream: the corpus' own shapes"},
          by_capability(*request.backend, "graph_capture"),
          by_capability(*request.backend, "cluster_launch")};
}

bool is_benchmark_node(std::string const& node) {
  return starts_with(node, "benchmark/");
}

std::vector<std::string> native_argv(PlanRequest const& request) {
  return {request.places.self.string(), "native-runner", request.operation.library,
          request.operation.op};
}

std::vector<std::string> pytest_argv(PlanRequest const& request,
                                     std::vector<PluginChoice> const& plugins) {
  std::vector<std::string> argv{request.places.python, "-m", "pytest"};
  for (PluginChoice const& plugin : plugins) {
    if (plugin.loaded) argv.insert(argv.end(), {"-p", "zlbench_plugins." + plugin.name});
  }
  // -s: the log holds what was printed even when the child dies. The cache folder would be written
  // into the corpus.
  argv.insert(argv.end(), {"-p", "no:cacheprovider", "-s", "-rA", "--tb=short"});
  argv.insert(argv.end(), request.operation.nodes.begin(), request.operation.nodes.end());
  // The accuracy tests know neither option.
  if (std::all_of(request.operation.nodes.begin(), request.operation.nodes.end(),
                  is_benchmark_node)) {
    argv.insert(argv.end(), {"--level", request.options.level});
    for (std::string const& dtype : request.options.dtypes)
      argv.insert(argv.end(), {"--dtypes", dtype});
  }
  argv.insert(argv.end(), request.options.corpus_arguments.begin(),
              request.options.corpus_arguments.end());
  return argv;
}

// Builds the list of changes and leaves out what changes nothing.
class EnvironmentBuilder {
 public:
  explicit EnvironmentBuilder(Environment const& caller) : caller_(caller) {}

  void set(std::string const& name, std::string const& value, std::string const& reason) {
    if (lookup(caller_, name) != value) changes_.push_back({name, value, reason});
  }
  void remove(std::string const& name, std::string const& reason) {
    if (lookup(caller_, name)) changes_.push_back({name, std::nullopt, reason});
  }
  std::vector<VariableChange> take() { return std::move(changes_); }

 private:
  Environment const& caller_;
  std::vector<VariableChange> changes_;
};

// The vendor is fixed by variables before anything of the corpus is imported.
void fix_vendor(PlanRequest const& request, EnvironmentBuilder& builder,
                std::vector<std::string>& notes) {
  backend::Descriptor const& backend = *request.backend;
  for (backend::OverrideVariable const& variable : backend.override_variables) {
    std::optional<std::string> const value = lookup(request.caller, variable.name);
    if (!value) continue;
    builder.remove(variable.name, variable.reason);
    notes.push_back(fmt::format("{} is set here and is removed for the child: {}", variable.name,
                                variable.reason));
  }
  bool is_first = true;
  for (std::string const& name : backend.vendor_variables) {
    std::optional<std::string> const value = lookup(request.caller, name);
    bool const disagrees = value && to_lower(trim(*value)) != backend.vendor;
    if (disagrees) {
      notes.push_back(fmt::format("{}={} disagrees with backend {} (vendor {}); the child gets {}",
                                  name, printable(*value, 60), backend.name, backend.vendor,
                                  is_first ? name + "=" + backend.vendor : "it unset"));
    }
    if (is_first) {
      builder.set(name, backend.vendor, "the vendor of backend " + backend.name);
    } else if (disagrees) {
      builder.remove(name, "names another vendor than backend " + backend.name);
    }
    is_first = false;
  }
}

void add_pytest_variables(PlanRequest const& request, EnvironmentBuilder& builder) {
  Places const& places = request.places;
  std::string python_path = places.python_folder.string();
  std::string const inherited = lookup(request.caller, "PYTHONPATH").value_or("");
  if (!inherited.empty()) python_path += ":" + inherited;
  builder.set("PYTHONPATH", python_path, "where the plug-ins are");
  builder.set("PYTHONUNBUFFERED", "1", "the log is whole when the child dies");
  builder.set("PYTHONFAULTHANDLER", "1", "a crash leaves its stack in the log");
  builder.set("TRITON_CACHE_DIR", (places.cache_dir / "triton").string(),
              "compile cache of this batch");
  builder.set("FLAGGEMS_CACHE_DIR", (places.run_dir / "tuning").string(),
              "tuning database of this run: neither locked nor filled by others");
  builder.remove("FLAGGEMS_DB_URL", "would overrule the run's own tuning database");
  // These name plug-ins and options of the caller's own test runs.
  builder.remove("PYTEST_ADDOPTS", "would change what the child runs");
  builder.remove("PYTEST_PLUGINS", "would change what the child loads");
}

std::vector<VariableChange> choose_environment(PlanRequest const& request,
                                               std::vector<std::string>& notes) {
  EnvironmentBuilder builder(request.caller);
  if (!is_native(request)) {
    fix_vendor(request, builder, notes);
    add_pytest_variables(request, builder);
  }
  if (request.device) {
    for (VariableChange const& change :
         backend::pin(*request.backend, *request.device, request.caller)) {
      if (change.value) {
        builder.set(change.name, *change.value, change.reason);
      } else {
        builder.remove(change.name, change.reason);
      }
    }
  }
  builder.set("ZL_PLAN", (request.places.run_dir / "plan.json").string(),
              "this plan, for the child");
  builder.set("ZL_CHANNEL_FD", std::to_string(kChildChannelFd), "the child protocol's socket");
  builder.set("ZL_BOARD_FD", std::to_string(kChildBoardFd),
              "who is at work on the device, in counters");
  return builder.take();
}

}  // namespace

Result<Plan> make_plan(PlanRequest const& request) {
  ZL_CHECK(request.backend != nullptr, "a plan needs a backend");
  Result<TimerChoice> const timer = choose_timer(request);
  if (!timer) return tl::unexpected<Error>(timer.error());
  if (!is_native(request) && request.backend->vendor.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("backend {} has no vendor in the corpus {}; choose another --backend, "
                            "or --provider native",
                            request.backend->name, request.places.corpus.string()));
  }
  Plan plan;
  plan.op = request.operation.op;
  plan.provider = request.operation.provider;
  plan.nodes = request.operation.nodes;
  plan.plugins = choose_plugins(request);
  plan.argv = is_native(request) ? native_argv(request) : pytest_argv(request, plan.plugins);
  plan.working_directory = is_native(request) ? request.places.run_dir : request.places.corpus;
  plan.environment = choose_environment(request, plan.notes);
  plan.timer = timer->name;
  plan.timer_reason = timer->reason;
  if (timer->is_engine) {
    plan.engine = EngineChoice{request.places.engine_library, request.backend->runtime,
                               request.options.timer != "auto"};
  }
  plan.device = request.device;
  plan.seat = request.seat;
  plan.backend = request.backend;
  plan.backend_reason = request.backend_reason;
  plan.known_vendors = request.known_vendors;
  plan.options = request.options;
  plan.run_dir = request.places.run_dir;
  plan.bytecode_folder = request.places.python_folder.parent_path() / "bytecode";
  if (!request.device) plan.notes.emplace_back("no device is pinned");
  return plan;
}

}  // namespace zl::run
