#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "run/plan.h"

namespace zl::cli {

struct LintFlags {
  std::string format = "text";        // --format
  std::string fail_on = "error";      // --fail-on
  std::vector<std::string> rules;     // --rule
  std::vector<std::string> excluded;  // --exclude
};

// The command line and the variables behind it, as plain values. A flag beats a variable.
struct Options {
  std::string command;
  bool json = false;
  bool quiet = false;

  std::string backend;                    // --backend, ZL_BACKEND; empty: chosen from what is here
  std::string backend_from;               // what gave `backend`, with its value: "ZL_BACKEND=x"
  std::vector<std::string> backend_dirs;  // --backend-dir, ZL_BACKEND_DIR
  std::string devices;                 // --devices, --gpus, ZL_DEVICE; empty: the command's default
  std::string provider;                // --provider; empty: by --corpus and backend
  std::string corpus;                  // --corpus, ZL_CORPUS
  std::string python;                  // --python, ZL_PYTHON
  std::vector<std::string> libraries;  // --library
  std::string runs;                    // --runs, ZL_RUNS
  std::string kind = "benchmark";      // ops: --kind
  std::string pattern;                 // ops: PATTERN
  std::string ops;                     // batch: --ops
  std::string ops_file;                // batch: --ops-file
  std::string stage;                   // batch: --stage
  std::string resume;                  // batch: --resume
  std::string shard;                   // batch: --shard
  int jobs_per_device = 0;             // run, batch: --jobs-per-device; 0: by cores and memory
  std::string format = "table";        // show: --format
  bool cases = false;                  // show: --cases
  bool identity = false;               // show: --identity
  bool recompute = false;              // show: --recompute
  int repeats = 5;                     // calibrate: --repeats
  std::vector<std::string> operators;  // plan, run: OP...; OP
  std::string test_node;               // TEST_NODE
  std::string op_file;                 // OP_FILE
  LintFlags lint;
  std::vector<std::string> folders;  // show: DIR...; explain: DIR
  std::string log;                   // explain: --log
  std::string probe;                 // explain: --probe
  std::vector<std::string> rules;    // --rules
  run::PlanOptions plan;
};

// What to do: run a command, or print a text (help, version) and end well.
using Parsed = std::variant<Options, std::string>;

// Errors are of kind usage and say what was meant. `arguments` are without the program's name.
Result<Parsed> parse_command_line(std::vector<std::string> const& arguments,
                                  Environment const& environment);

// SHAPE_MODE and --shapes: "upstream", "small" (shapes of at most 2^20 elements), or a YAML file.
Result<run::ShapeChoice> parse_shapes(std::string const& text);

}  // namespace zl::cli
