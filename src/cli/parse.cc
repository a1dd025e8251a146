// The option table. CLI11 is included here and nowhere else: it takes seconds to compile.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/host.h"
#include "base/text.h"
#include "cli/options.h"

namespace zl::cli {

namespace {

constexpr char const* kExitCodes =
    "Exit codes: 0 ok, 1 some operators failed (lint: findings), 2 usage, 3 nothing selected, 4 "
    "environment, 130 "
    "interrupted.";
constexpr long long kSmallShapeElements = 1 << 20;

// Raw texts that need a second look after CLI11 is done.
struct Texts {
  std::string shapes;
  std::string dtypes;
};

void add_json(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "print data as JSON");
}

void add_backend(CLI::App& command, Options& options) {
  command.add_option("--backend", options.backend,
                     "accelerator family, name or alias (ZL_BACKEND)");
  command.add_option("--backend-dir", options.backend_dirs,
                     "folder of descriptors to add or override (ZL_BACKEND_DIR)");
}

void add_provider(CLI::App& command, Options& options) {
  command.add_option("--provider", options.provider, "where operators come from: flaggems, native");
  command.add_option("--corpus", options.corpus, "root of a FlagGems checkout (ZL_CORPUS)");
  command.add_option("--python", options.python,
                     "Python that runs the corpus (ZL_PYTHON; default python3)");
  command.add_option("--library", options.libraries,
                     "plug-in library of the native provider; repeatable");
}

void add_measuring(CLI::App& command, Options& options, Texts& texts) {
  command.add_option("--devices,--gpus", options.devices,
                     "\"all\", indices as `zlbench devices` prints them, or UUIDs (ZL_DEVICE)");
  command.add_option("--level", options.plan.level, "core or comprehensive (default core)")
      ->check(CLI::IsMember({"core", "comprehensive"}));
  command.add_option("--dtypes", texts.dtypes, "comma-separated: float16,float32,...");
  command
      .add_option("--timer", options.plan.timer,
                  "auto, graph, direct, host (of what runs on the CPU), upstream (the corpus' own)")
      ->check(CLI::IsMember({"auto", "graph", "direct", "host", "upstream"}));
  command.add_option("--shapes", texts.shapes,
                     "upstream, small, or a YAML file of shapes (SHAPE_MODE)");
  command
      .add_option("--timeout", options.plan.time_limit_s, "seconds for one operator (default 1800)")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--silence", options.plan.silence_s,
                  "seconds that a child may be silent while others wait for its device (default "
                  "300)")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--jobs-per-device", options.jobs_per_device,
                  "operators that prepare side by side on a device while one measures (default: by "
                  "cores and memory)")
      ->check(CLI::Range(1, 64));
  command.add_option("--runs", options.runs, "folder for runs (ZL_RUNS; default ./zlbench-runs)");
}

CLI::App& add_command(CLI::App& app, char const* name, char const* description,
                      std::string const& examples) {
  CLI::App& command = *app.add_subcommand(name, description);
  command.footer("Examples:\n" + examples + "\n" + kExitCodes);
  return command;
}

void build_listing_commands(CLI::App& app, Options& options) {
  CLI::App& backends =
      add_command(app, "backends", "every known backend, and whether its devices are here",
                  "  zlbench backends\n  zlbench backends --json");
  add_json(backends, options);
  add_backend(backends, options);

  CLI::App& devices = add_command(app, "devices", "devices of this host",
                                  "  zlbench devices\n  zlbench devices --backend cpu --json");
  add_json(devices, options);
  add_backend(devices, options);

  CLI::App& ops = add_command(
      app, "ops", "operators and the nodes they resolve to; imports nothing of the corpus",
      "  zlbench ops --provider native\n  zlbench ops 'abs*' --corpus ~/FlagGems\n"
      "  zlbench ops --corpus ~/FlagGems --kind tests --json");
  add_json(ops, options);
  add_backend(ops, options);
  add_provider(ops, options);
  ops.add_option("--kind", options.kind, "benchmark or tests (default benchmark)")
      ->check(CLI::IsMember({"benchmark", "tests"}));
  ops.add_option("PATTERN", options.pattern, "glob, or a part of the name");

  CLI::App& show = add_command(
      app, "show", "results of a run or a batch; of two: what changed in status and kernels",
      "  zlbench show zlbench-runs/20261130-190517-cpu-1a2b\n  zlbench show DIR --format csv\n"
      "  zlbench show BEFORE AFTER\n  zlbench show --identity BEFORE/abs AFTER/abs\n"
      "  zlbench show --recompute DIR");
  add_json(show, options);
  show.add_option("DIR", options.folders, "batch folder; two for before and after")
      ->required()
      ->expected(1, 2);
  show.add_option("--format", options.format, "table, json, csv, md (default table)");
  show.add_flag("--cases", options.cases, "one line a shape instead of one an operator");
  CLI::Option* const identity =
      show.add_flag("--identity", options.identity,
                    "of two runs: what they were made with that differs, first what makes their "
                    "numbers incomparable");
  show.add_flag("--recompute", options.recompute,
                "compute every number again from the stored samples; 1 when one differs")
      ->excludes(identity);
}

void add_rules(CLI::App& command, Options& options) {
  command.add_option("--rules", options.rules,
                     "folder of rules (*.yaml) that add to the built-in ones or replace them");
}

void build_explain(CLI::App& app, Options& options, Texts& texts) {
  CLI::App& explain = add_command(
      app, "explain",
      "why an operator did not run: the first cause, its evidence, what to do next, and how sure "
      "that is",
      "  zlbench explain zlbench-runs/20261130-190517-cpu-1a2b/abs\n  zlbench explain BATCH\n"
      "  zlbench explain --log pytest.log --backend NAME\n"
      "  ZL_BACKEND=NAME zlbench explain --probe abs --corpus ~/FlagGems");
  add_json(explain, options);
  add_backend(explain, options);
  add_provider(explain, options);
  add_measuring(explain, options, texts);
  add_rules(explain, options);
  explain.add_option("DIR", options.folders, "folder of a run or a batch")->expected(0, 1);
  explain.add_option("--log", options.log, "any log, of pytest or of a program");
  explain.add_option("--probe", options.probe,
                     "run this operator and then cheap variations of it, until one changes the "
                     "failure; --timeout is of each");
}

void build_calibrate(CLI::App& app, Options& options) {
  CLI::App& calibrate = add_command(
      app, "calibrate",
      "what the timers of a device are worth: their error against known lengths, their "
      "repeatability; kept in the folder for runs and told in every later run's identity",
      "  zlbench calibrate\n  ZL_BACKEND=NAME zlbench calibrate --devices 1 --json\n"
      "  zlbench calibrate --repeats 10");
  add_json(calibrate, options);
  add_backend(calibrate, options);
  calibrate.add_option(
      "--devices,--gpus", options.devices,
      "one index as `zlbench devices` prints it, or a UUID (ZL_DEVICE; default the first)");
  calibrate
      .add_option("--repeats", options.repeats, "how often each length is measured (default 5)")
      ->check(CLI::Range(2, 100));
  calibrate.add_option("--runs", options.runs, "folder for runs (ZL_RUNS; default ./zlbench-runs)");
}

void build_lint(CLI::App& app, Options& options) {
  CLI::App& lint = add_command(
      app, "lint",
      "faults of a corpus that can be seen without running it (docs/lint.md); 1 when there are "
      "findings at or above --fail-on",
      "  zlbench lint ~/FlagGems\n  zlbench lint ~/FlagGems --rule FV1,CP1 --fail-on warning\n"
      "  zlbench lint ~/FlagGems --exclude CU1 --format sarif > lint.sarif");
  lint.add_option("CORPUS,--corpus", options.corpus, "root of a FlagGems checkout (ZL_CORPUS)");
  lint.add_option("--python", options.python,
                  "Python that reads the corpus; nothing of it is imported (ZL_PYTHON; default "
                  "python3)");
  CLI::Option* const format =
      lint.add_option("--format", options.lint.format, "text, json, sarif (default text)")
          ->check(CLI::IsMember({"text", "json", "sarif"}));
  lint.add_flag("--json", options.json, "the same as --format json")->excludes(format);
  lint.add_option("--fail-on", options.lint.fail_on, "error, warning, note (default error)")
      ->check(CLI::IsMember({"error", "warning", "note"}));
  lint.add_option("--rule", options.lint.rules, "only these rules; repeatable, or with commas")
      ->allow_extra_args(false);
  lint.add_option("--exclude", options.lint.excluded,
                  "all but these rules; repeatable, or with commas")
      ->allow_extra_args(false);
}

void build_running_commands(CLI::App& app, Options& options, Texts& texts) {
  std::string const passed_on = "Everything after -- is handed to the corpus.";
  CLI::App& plan = add_command(app, "plan", "what `run` would do; runs nothing",
                               "  zlbench plan gemm --provider native\n"
                               "  ZL_BACKEND=NAME zlbench plan abs --corpus ~/FlagGems --json\n" +
                                   passed_on);
  CLI::App& run =
      add_command(app, "run", "run one or a few operators in the foreground",
                  "  zlbench run gemm softmax --provider native\n"
                  "  ZL_BACKEND=NAME zlbench run abs --corpus ~/FlagGems --dtypes float16\n" +
                      passed_on);
  CLI::App& batch = add_command(
      app, "batch", "run many operators over the devices; resumable",
      "  zlbench batch --backend cpu --provider native\n"
      "  ZL_BACKEND=NAME zlbench batch --corpus ~/FlagGems --ops abs,add --devices 0,1\n"
      "  zlbench batch --resume zlbench-runs/20261130-190517-cpu-1a2b\n" +
          passed_on);
  for (CLI::App* const command : {&plan, &run, &batch}) {
    add_json(*command, options);
    add_backend(*command, options);
    add_provider(*command, options);
    add_measuring(*command, options, texts);
  }
  for (CLI::App* const command : {&run, &batch}) {
    add_rules(*command, options);
    command->add_flag("--quiet", options.quiet, "no progress; failures only");
  }
  plan.add_option("OP", options.operators, "operator (OP, OP_FILE, TEST_NODE)");
  run.add_option("OP", options.operators, "operators (OP, OP_FILE, TEST_NODE)");
  batch.add_option("--ops", options.ops, "comma-separated operators or globs");
  batch.add_option("--ops-file", options.ops_file,
                   "file with one operator a line; # begins a comment");
  batch.add_option("--stage", options.stage, "operators of this stage of the corpus' catalogue");
  batch.add_option("--shard", options.shard,
                   "i/n: every n-th operator of the selection, from the i-th on");
  batch.add_option("--resume", options.resume, "batch folder: run what has no result yet");
}

std::vector<std::string> command_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (CLI::App const* const command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

// CLI11 says which words are left over; this says what was meant by the first of them.
std::string hint_for(CLI::App const& app, std::string const& word) {
  std::vector<std::string> known = command_names(app);
  if (starts_with(word, "-")) {
    known.clear();
    CLI::App const* const command =
        app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    for (CLI::Option const* const option : command->get_options()) {
      for (std::string const& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  return did_you_mean(word, known);
}

std::string first_unknown(std::string const& message) {
  // "The following arguments were not expected: value --flag": last one first
  std::size_t const colon = message.rfind(": ");
  std::vector<std::string> const words =
      split(colon == std::string::npos ? message : message.substr(colon + 2), ' ');
  auto const flag = std::find_if(words.rbegin(), words.rend(),
                                 [](auto const& word) { return starts_with(word, "-"); });
  return flag == words.rend() ? words.back() : *flag;
}

template <class Text>
void fall_back(Text& value, Environment const& environment, char const* variable) {
  if (!value.empty()) return;
  value = trim(lookup(environment, variable).value_or(""));
}

void apply_variables(Options& options, Texts& texts, Environment const& environment) {
  if (!options.backend.empty()) options.backend_from = "--backend " + options.backend;
  fall_back(options.backend, environment, "ZL_BACKEND");
  if (options.backend_from.empty() && !options.backend.empty())
    options.backend_from = "ZL_BACKEND=" + options.backend;
  fall_back(options.devices, environment, "ZL_DEVICE");
  fall_back(options.corpus, environment, "ZL_CORPUS");
  fall_back(options.runs, environment, "ZL_RUNS");
  fall_back(options.python, environment, "ZL_PYTHON");
  fall_back(texts.shapes, environment, "SHAPE_MODE");
  if (options.backend_dirs.empty()) {
    for (std::string const& folder :
         split(lookup(environment, "ZL_BACKEND_DIR").value_or(""), ':')) {
      if (!trim(folder).empty()) options.backend_dirs.push_back(trim(folder));
    }
  }
  bool const takes_operators =
      options.command == "plan" || options.command == "run" || options.command == "batch";
  bool const has_operators = !options.operators.empty() || !options.ops.empty() ||
                             !options.ops_file.empty() || !options.stage.empty() ||
                             !options.resume.empty();
  if (takes_operators && !has_operators) {
    fall_back(options.test_node, environment, "TEST_NODE");
    fall_back(options.op_file, environment, "OP_FILE");
    std::string op;
    fall_back(op, environment, "OP");
    for (std::string const& name : split(op, ',')) {
      if (!trim(name).empty()) options.operators.push_back(trim(name));
    }
  }
  if (options.python.empty()) options.python = "python3";
  if (options.runs.empty()) options.runs = "zlbench-runs";
}

Result<void> finish(Options& options, Texts const& texts) {
  Result<run::ShapeChoice> const shapes = parse_shapes(texts.shapes);
  if (!shapes) return tl::unexpected<Error>(shapes.error());
  options.plan.shapes = *shapes;
  if (texts.dtypes.empty()) return {};
  for (std::string const& name : split(texts.dtypes, ',')) {
    std::string const dtype = trim(name);
    if (dtype.empty())
      return fail(ErrorKind::usage,
                  fmt::format("--dtypes '{}': an empty name in the list", texts.dtypes));
    options.plan.dtypes.push_back(dtype);
  }
  return {};
}

}  // namespace

Result<run::ShapeChoice> parse_shapes(std::string const& text) {
  if (text.empty() || text == "upstream") return run::ShapeChoice{};
  if (text == "small")
    return run::ShapeChoice{run::ShapeChoice::Mode::small, kSmallShapeElements, ""};
  std::error_code code;
  std::filesystem::path const path = std::filesystem::absolute(text, code);
  if (std::filesystem::is_regular_file(path, code)) {
    return run::ShapeChoice{run::ShapeChoice::Mode::file, 0, path.string()};
  }
  return fail(
      ErrorKind::usage,
      fmt::format(
          "--shapes '{}' (SHAPE_MODE): neither 'upstream', 'small' nor a file that is here.{}",
          printable(text, 100), did_you_mean(text, {"upstream", "small"})));
}

Result<Parsed> parse_command_line(std::vector<std::string> const& arguments,
                                  Environment const& environment) {
  auto const separator = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> own(arguments.begin(), separator);
  Options options;
  Texts texts;
  if (separator != arguments.end())
    options.plan.corpus_arguments.assign(separator + 1, arguments.end());

  CLI::App app("zlbench runs a corpus of operator benchmarks on any vendor's accelerator.",
               "zlbench");
  app.set_version_flag("--version", own_version());
  app.require_subcommand(1);
  app.footer(
      "Start with:\n  zlbench batch --backend cpu --provider native\n`zlbench COMMAND --help` has "
      "examples.\n" +
      std::string(kExitCodes));
  build_listing_commands(app, options);
  build_calibrate(app, options);
  build_lint(app, options);
  build_running_commands(app, options, texts);
  build_explain(app, options, texts);

  bool const names_a_command = !own.empty() && !starts_with(own.front(), "-");
  if (names_a_command) {
    std::vector<std::string> const known = command_names(app);
    if (std::find(known.begin(), known.end(), own.front()) == known.end()) {
      return fail(ErrorKind::usage,
                  fmt::format("'{}' is no command; there are {}.{}", printable(own.front(), 60),
                              join(known, ", "), did_you_mean(own.front(), known)));
    }
  }
  if (own.empty()) return Parsed{app.help()};
  std::reverse(own.begin(), own.end());  // CLI11 takes the words last one first
  try {
    app.parse(own);
  } catch (CLI::CallForHelp const&) {
    return Parsed{app.help()};
  } catch (CLI::CallForVersion const&) {
    return Parsed{own_version() + "\n"};
  } catch (CLI::ExtrasError const& error) {
    return fail(ErrorKind::usage,
                std::string(error.what()) + "." + hint_for(app, first_unknown(error.what())));
  } catch (CLI::ParseError const& error) {
    return fail(ErrorKind::usage, error.what());
  }
  options.command = app.get_subcommands().front()->get_name();
  apply_variables(options, texts, environment);
  Result<void> const finished = finish(options, texts);
  if (!finished) return tl::unexpected<Error>(finished.error());
  return Parsed{options};
}

}  // namespace zl::cli
