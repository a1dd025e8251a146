// run/: one operator in one child: the plan (what will be started), the child (what runs), the
// protocol (what it says) and the outcome (what that means). Knows nothing of other operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/descriptor.h"
#include "backend/device.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/result.h"
#include "provider/provider.h"

namespace zl::run {

// SHAPE_MODE, --shapes.
struct ShapeChoice {
  enum class Mode { upstream, small, file };
  Mode mode = Mode::upstream;  // the corpus' own shapes
  long long max_elements = 0;  // small: of one shape
  std::string path;            // file: YAML like the corpus' core_shapes.yaml
};

struct PlanOptions {
  std::string level = "core";
  std::vector<std::string> dtypes;  // empty: the operator's own
  std::string timer = "auto";
  ShapeChoice shapes;
  double time_limit_s = 1800;  // of the whole child
  double silence_s = 300;      // of a child that holds a device which others wait for
  double grace_s = 5;          // between TERM and KILL
  std::uint64_t log_limit_bytes = 256ull << 20;
  std::vector<std::string> corpus_arguments;  // everything after "--"
};

// Where things lie on this machine.
struct Places {
  fs::path self;            // this program: the native runner is a subcommand of it
  fs::path python_folder;   // holds zlbench_plugins
  fs::path engine_library;  // the timing engine as the plug-ins load it
  std::string python = "python3";
  fs::path corpus;  // root of the corpus; empty for the native provider
  fs::path run_dir;
  fs::path cache_dir;  // compile caches of the batch
};

// Which of the children that share a device this one is.
struct Seat {
  int index = 0;
  int of = 1;
};

struct PlanRequest {
  backend::Descriptor const* backend = nullptr;
  std::string backend_reason;  // what chose it: a flag, a variable, or what was found here
  std::vector<std::string> known_vendors;
  std::optional<backend::Device> device;
  Seat seat;
  provider::ProviderCase operation;
  PlanOptions options;
  Places places;
  Environment caller;
};

struct PluginChoice {
  std::string name;
  bool loaded = false;
  std::string capability;  // that chose or dropped it; empty where none did
  std::string reason;
};

// What the plug-ins open the timing engine with.
struct EngineChoice {
  fs::path library;
  backend::Runtime runtime;
  bool is_required = false;  // it was asked for: without it nothing is measured
};

// All that decides what a child does. `zlbench plan` prints it, `zlbench run` starts it.
struct Plan {
  std::string op;
  std::string provider;
  std::vector<std::string> nodes;
  std::vector<std::string> argv;
  fs::path working_directory;
  std::vector<VariableChange> environment;  // changes against the caller's, no others
  std::vector<PluginChoice> plugins;
  std::string timer;
  std::string timer_reason;
  std::optional<EngineChoice> engine;  // of the timers graph and direct
  fs::path bytecode_folder;            // for what Python would compile anew in each child
  std::optional<backend::Device> device;
  Seat seat;
  backend::Descriptor const* backend = nullptr;
  std::string backend_reason;
  std::vector<std::string> known_vendors;
  PlanOptions options;
  fs::path run_dir;
  std::vector<std::string> notes;  // what the caller should know: variables overruled, and why
};

// Pure: reads no file, no clock and no environment. Errors are of kind usage (a timer that the
// provider or the backend does not have, a backend without a vendor for this corpus).
Result<Plan> make_plan(PlanRequest const& request);

// The plan as `zlbench plan --json` prints it and as the child reads it (docs/child-protocol.md).
std::string to_json_text(Plan const& plan);
// The plan for people.
std::string to_text(Plan const& plan);

}  // namespace zl::run
