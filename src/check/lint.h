// Static findings in a corpus: faults that can be seen without running it (docs/lint.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "base/result.h"

namespace zl::check {

enum class Severity { note, warning, error };
char const* to_text(Severity severity);

struct LintFinding {
  std::string rule;
  Severity severity = Severity::note;
  std::string file;  // relative to the corpus
  int line = 1;
  std::string message;  // what happens
  std::string fix;
  // Those that see it; nothing where it does not depend on the vendor.
  std::optional<std::vector<std::string>> vendors;
  std::optional<std::string> suppressed;  // the reason that the comment gives
  std::string more_json;                  // what else the rule says: {"certainty": "inferred"}
};

// One import of a vendor's module that was looked at, whatever came of it.
struct ForeignImport {
  std::string file;
  int line = 0;
  std::string module;
  std::string vendor;
  std::string verdict;  // ok, warning, error, dead
};

struct LintReport {
  std::vector<LintFinding> findings;  // by file, line and rule
  std::vector<ForeignImport> foreign_imports;
  std::vector<std::string> vendors;  // that the corpus describes
  std::size_t files = 0;
  std::vector<std::string> notes;  // about the corpus as a whole, one line each
  bool is_from_cache = false;
};

struct LintOptions {
  fs::path root;
  std::string python = "python3";  // a path, or a name looked up in PATH of `environment`
  fs::path cache_folder;           // empty: no cache
  Environment environment;
};

// From the cache when no file of the corpus changed, else with one call of `python`. An environment
// error when `root` is no corpus or Python cannot be run.
Result<LintReport> lint(LintOptions const& options);

}  // namespace zl::check
