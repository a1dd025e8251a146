// The FlagGems corpus: from an operator id to pytest nodes, without importing anything of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "base/result.h"
#include "provider/provider.h"

namespace zl::provider {

// The two test trees of the corpus: its benchmarks and its accuracy tests.
enum class NodeKind { benchmark, tests };

// One entry of conf/operators.yaml.
struct Operator {
  std::string id;
  std::vector<std::string> aliases;  // its `for` list, without "None"
  std::string stage;                 // the latest: alpha, beta, stable, removed, or empty
};

struct Resolution {
  std::string op;
  // Every node that the rule matches ("benchmark/test_x.py::test_x"), sorted; empty: see `problem`.
  std::vector<std::string> nodes;
  // What a run takes: `nodes` without the parallel variants of a test that also stands alone.
  std::vector<std::string> default_nodes;
  std::string how;  // the rule that matched: "exact mark", "op_name literal", ...
  // The mark belongs to another id as well, its twin without the leading underscore.
  bool shared_with_other_id = false;
  std::string problem;                   // empty when resolved; else why, and what to try, one line
  std::vector<std::string> suggestions;  // ids to try instead, best first
  std::vector<std::string> notes;        // worth knowing, one line each

  bool is_resolved() const { return problem.empty(); }
};

struct OpenOptions {
  fs::path root;
  std::string python = "python3";  // a path, or a name looked up in PATH of `environment`
  fs::path cache_folder;           // empty: no cache
  Environment environment;
};

struct Index;

class FlagGemsCorpus {
 public:
  // Reads the catalogue and the marks of every test file: from the cache where the files are
  // unchanged, else with one call of `python`.
  static Result<FlagGemsCorpus> open(OpenOptions const& options);

  FlagGemsCorpus(FlagGemsCorpus&&) noexcept;
  FlagGemsCorpus& operator=(FlagGemsCorpus&&) noexcept;
  ~FlagGemsCorpus();

  fs::path const& root() const { return root_; }
  std::vector<Operator> const& operators() const;  // in catalogue order
  // An id of the catalogue, or a mark that no id names. Anything else is unresolved.
  Resolution resolve(std::string_view id, NodeKind kind) const;
  // The same as the layers above handle it: default nodes, and the stage of the catalogue.
  ProviderCase make_case(std::string_view id, NodeKind kind) const;
  // About the corpus as a whole: files that do not parse, a cache that could not be used.
  std::vector<std::string> const& notes() const { return notes_; }
  // How many test files were read with Python this time; 0 when the cache answered all.
  std::size_t indexed_files() const { return indexed_files_; }

 private:
  FlagGemsCorpus(fs::path root, std::unique_ptr<Index const> index);

  fs::path root_;
  std::unique_ptr<Index const> index_;
  std::vector<std::string> notes_;
  std::size_t indexed_files_ = 0;
};

// An environment error that names what is missing when `root` is not a FlagGems checkout.
Result<void> check_corpus(fs::path const& root);

// Letters, digits and "_.-"; not "." or "..". What passes is safe as a folder name and in a mark.
bool is_valid_operator_id(std::string_view id);

struct DirectRequest {
  fs::path root;
  std::string python = "python3";
  Environment environment;
  std::string test_node;  // TEST_NODE: "file.py::func" or "file.py::Class::func[param]"; wins
  std::string op_file;    // OP_FILE: a test file; its nodes of `op`, or all without an `op`
  std::string op;         // may be empty
};

struct DirectNodes {
  std::string op;  // as asked for; else the nearest mark of the first node, else the file's name
  std::vector<std::string> nodes;  // relative to the root
  std::vector<std::string> notes;
};

// Nodes that the user named, bypassing the catalogue. A usage error says what is wrong with them.
Result<DirectNodes> resolve_direct(DirectRequest const& request);

}  // namespace zl::provider
