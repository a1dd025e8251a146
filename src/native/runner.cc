#include "native/runner.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "native/case_run.h"
#include "native/channel.h"
#include "native/library.h"
#include "native/machine.h"
#include "native/selection.h"
#include "native/stacks.h"

namespace zl::native {

namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitEnvironment = 4;

Json to_json(Case const& item) {
  return {{"name", item.name},   {"dtype", item.dtype},
          {"shape", item.dims},  {"shape_text", item.shape_text},
          {"flops", item.flops}, {"bytes", item.bytes}};
}

Json list_library(std::string const& path) {
  auto const library = Library::load(path);
  if (!library) return {{"path", path}, {"error", library.error().text}};
  Json operators = Json::array();
  for (Operator const& op : library->operators()) {
    Json cases = Json::array();
    for (Case const& item : op.cases) cases.push_back(to_json(item));
    operators.push_back({{"name", op.name}, {"description", op.description}, {"cases", cases}});
  }
  return {{"path", path},
          {"name", library->name()},
          {"version", library->version()},
          {"note", library->note()},
          {"operators", operators}};
}

int list_libraries(std::vector<std::string> const& paths) {
  // What a library prints while it is loaded must not end up inside the list.
  Fd const list_fd(::dup(STDOUT_FILENO));
  if (!list_fd.is_open() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    fmt::print(stderr, "native-runner: standard output and error must be open to list libraries\n");
    return kExitEnvironment;
  }
  Json libraries = Json::array();
  for (std::string const& path : paths) libraries.push_back(list_library(path));
  // The line feed in front: what was printed before need not have ended its line.
  std::string const text =
      "\n" + to_line({{"format", 1}, {"libraries", std::move(libraries)}}) + "\n";
  auto const written = write_all(list_fd.get(), text, "standard output");
  if (written) return kExitOk;
  fmt::print(stderr, "native-runner: {}\n", written.error().text);
  return kExitEnvironment;
}

struct Tally {
  std::size_t collected = 0;
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::string reason;     // of the first failure, or of the first skip when nothing failed
  std::string failed_in;  // empty when nothing failed

  void add(Case const& item, CaseOutcome const& outcome) {
    ++(outcome.status == "ok" ? passed : outcome.status == "failed" ? failed : skipped);
    bool const is_first_failure = outcome.status == "failed" && failed == 1;
    if (is_first_failure) failed_in = outcome.phase == "check" ? "check" : "call";
    if (is_first_failure || (outcome.status == "skipped" && reason.empty())) {
      reason = fmt::format("{}: {}", item.name, outcome.error);
    }
  }
};

int say_bye(Channel& channel, Tally const& tally, int exit_status) {
  Json bye = {
      {"type", "bye"},          {"exit_status", exit_status}, {"collected", tally.collected},
      {"passed", tally.passed}, {"failed", tally.failed},     {"skipped", tally.skipped}};
  if (!tally.reason.empty()) bye["reason"] = tally.reason;
  if (!tally.failed_in.empty()) bye["failed_in"] = tally.failed_in;
  channel.send(bye);
  return exit_status;
}

int refuse(Channel& channel, std::string const& reason, std::string const& failed_in,
           int exit_status) {
  fmt::print(stderr, "native-runner: {}\n", reason);
  Tally tally;
  tally.reason = reason;
  tally.failed_in = failed_in;
  return say_bye(channel, tally, exit_status);
}

void send_case_begin(Channel& channel, Case const& item, std::string const& node) {
  channel.send({{"type", "case_begin"},
                {"case", item.name},
                {"node", node},
                {"name", item.name},
                {"dtype", item.dtype},
                {"shape", item.dims},
                {"shape_text", item.shape_text}});
}

void send_case_end(Channel& channel, Case const& item, CaseOutcome const& outcome) {
  Json message = {{"type", "case_end"}, {"case", item.name}, {"status", outcome.status}};
  if (!outcome.phase.empty()) message["phase"] = outcome.phase;
  if (!outcome.error.empty()) message["error"] = outcome.error;
  if (!outcome.metrics.empty()) message["metrics"] = outcome.metrics;
  channel.send(message);
  // The log has what the channel has: it is what is left when there is no parent.
  fmt::print("{}: {}{}{}\n", item.name, outcome.status, outcome.error.empty() ? "" : ": ",
             outcome.error);
  std::fflush(stdout);
}

int run_cases(Operator const& op, std::vector<Case> const& cases, std::string const& node,
              Channel& channel) {
  timing::HostWatch watch = timing::real_watch();
  watch.should_stop = [&] { return channel.should_end(); };
  timing::Epochs epochs;
  channel.board().show(epochs);
  timing::HostEnvironment host = timing::real_host();
  host.epoch = [&] { return epochs.read(); };
  std::optional<timing::HostEngine> engine;
  // Under the lease: the engine takes the measure of the clock as it is made.
  EngineSource const engine_source = [&]() -> timing::HostEngine& {
    if (!engine) {
      engine.emplace(host, watch);
      channel.send({{"type", "identity"}, {"identity", {{"clock_tick_ns", engine->tick_ns()}}}});
    }
    return *engine;
  };
  bool const had_parent = channel.has_parent();
  Tally tally;
  tally.collected = cases.size();
  for (Case const& item : cases) {
    if (had_parent && channel.should_end()) break;
    send_case_begin(channel, item, node);
    CaseOutcome const outcome = run_case(op, item, engine_source, channel);
    channel.leave_device();
    send_case_end(channel, item, outcome);
    tally.add(item, outcome);
  }
  if (channel.is_stopped() && tally.failed == 0) tally.reason = "stopped by the parent";
  bool const is_fine = tally.failed == 0 && !channel.is_stopped();
  return say_bye(channel, tally, is_fine ? kExitOk : kExitFailed);
}

Json library_identity(Library const& library, std::string const& path) {
  return {{"library", library.name()},
          {"library_version", library.version()},
          {"library_note", library.note()},
          {"library_path", path}};
}

std::vector<std::string> names_of(std::vector<Operator> const& operators) {
  std::vector<std::string> names;
  for (Operator const& op : operators) names.push_back(op.name);
  return names;
}

std::string dtypes_text(std::vector<Case> const& cases) {
  std::vector<std::string> dtypes;
  for (Case const& item : cases) {
    if (std::find(dtypes.begin(), dtypes.end(), item.dtype) == dtypes.end()) {
      dtypes.push_back(item.dtype);
    }
  }
  return join(dtypes, ", ");
}

int run_operator(std::string const& path, std::string const& name, Environment const& environment) {
  Channel channel = Channel::from_environment(environment);
  // Before the library is loaded: one that crashes then is still known to have begun.
  channel.send({{"type", "hello"},
                {"protocol", 1},
                {"pid", ::getpid()},
                {"role", "native"},
                {"stack_signal", register_stack_signal()},
                {"identity", machine_identity()}});
  auto const selection = read_selection(environment);
  if (!selection) return refuse(channel, selection.error().text, "setup", kExitEnvironment);
  channel.count_on(Board::from_environment(environment, selection->seat, selection->seats));
  channel.share_device();  // loading a library may start anything
  auto const library = Library::load(path);
  if (!library) return refuse(channel, library.error().text, "import", kExitEnvironment);
  channel.send({{"type", "identity"}, {"identity", library_identity(*library, path)}});
  Operator const* const op = library->find(name);
  if (op == nullptr) {
    return refuse(channel,
                  fmt::format("plug-in library '{}' has no operator '{}'.{}", path, name,
                              did_you_mean(name, names_of(library->operators()))),
                  "collection", kExitEnvironment);
  }
  auto const cases = select_cases(op->cases, *selection);
  if (cases.empty()) {
    return refuse(channel,
                  fmt::format("operator '{}' has no case of dtype {}; it has {}", name,
                              join(selection->dtypes, ", "), dtypes_text(op->cases)),
                  "collection", kExitFailed);
  }
  std::string const node =
      selection->node.empty() ? library->name() + "::" + name : selection->node;
  return run_cases(*op, cases, node, channel);
}

}  // namespace

int run_native_child(std::vector<std::string> const& args) {
  if (args.size() >= 2 && args[0] == "--list")
    return list_libraries({args.begin() + 1, args.end()});
  if (args.size() == 2 && args[0] != "--list") {
    return run_operator(args[0], args[1], current_environment());
  }
  fmt::print(stderr,
             "native-runner: use 'native-runner --list LIBRARY...' or 'native-runner LIBRARY "
             "OPERATOR'\n");
  return kExitUsage;
}

}  // namespace zl::native
