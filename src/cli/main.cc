#include "cli/main.h"

#include <cstdio>
#include <exception>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "native/runner.h"

namespace zl::cli {

namespace {

struct Command {
  char const* name;
  Result<int> (*function)(Context const& context);
};

constexpr Command kCommands[] = {
    {"backends", run_backends}, {"devices", run_devices},
    {"ops", run_ops},           {"plan", run_plan},
    {"run", run_run},           {"batch", run_batch},
    {"show", run_show},         {"calibrate", run_calibrate},
    {"lint", run_lint},         {"explain", run_explain},
};

int report(Error const& error) {
  fmt::print(stderr, "zlbench: error: {}\n", printable(to_valid_utf8(error.text), 4000));
  return exit_code(error.kind);
}

Result<int> dispatch(Options const& options, Environment const& environment) {
  Result<Context> const context = make_context(options, environment);
  if (!context) return tl::unexpected<Error>(context.error());
  for (Command const& command : kCommands) {
    if (options.command == command.name) return command.function(*context);
  }
  return fail(ErrorKind::usage, "no command " + options.command);
}

int run_checked(std::vector<std::string> const& arguments) {
  // The child side of the native provider: not for people, so not in the help.
  if (!arguments.empty() && arguments.front() == "native-runner") {
    return native::run_native_child({arguments.begin() + 1, arguments.end()});
  }
  Environment const environment = current_environment();
  Result<Parsed> const parsed = parse_command_line(arguments, environment);
  if (!parsed) return report(parsed.error());
  if (auto const* text = std::get_if<std::string>(&*parsed)) {
    print_out(*text);
    return kOk;
  }
  Result<int> const code = dispatch(std::get<Options>(*parsed), environment);
  return code ? *code : report(code.error());
}

}  // namespace

void print_out(std::string const& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_notes(std::vector<std::string> const& notes) {
  for (std::string const& note : notes)
    fmt::print(stderr, "note: {}\n", printable(to_valid_utf8(note), 2000));
}

int run_program(int argc, char** argv) {
  try {
    return run_checked({argv + 1, argv + argc});
  } catch (std::exception const& exception) {
    fmt::print(stderr, "zlbench: internal error: {}. Please report it.\n", exception.what());
    return kEnvironment;
  }
}

}  // namespace zl::cli
