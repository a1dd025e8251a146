#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace zl::provider {

// An operator of a plug-in library (include/zlbench/operator.h), as its own process listed it.
struct NativeOperator {
  std::string name;
  std::string description;
  std::filesystem::path library;
  std::string library_name;
  std::string library_version;
  std::size_t cases = 0;
  std::vector<std::string> dtypes;  // in the order of the library's cases, each once
};

struct NativeOptions {
  std::filesystem::path self;  // the program that knows `native-runner`
  std::vector<std::filesystem::path> libraries;
  std::vector<std::filesystem::path> folders;  // each *.so in them; one that is missing is skipped
  Environment environment;                     // of the listing child
  double limit_s = 20;                         // per listing child
};

struct NativeListing {
  std::vector<NativeOperator> operators;  // libraries as given, then folders by file name
  std::vector<std::string> problems;  // one line a library or operator left out, with the reason
};

// Loads each library in a child, so that one that crashes or hangs costs only itself. The error is
// for `self` alone: a library's fault is a line in `problems`. Where two libraries have an operator
// of the same name, the first one's counts.
Result<NativeListing> list_native(NativeOptions const& options);

// Where `self` looks for the operators that come with it: lib/zlbench/operators beside it (a build
// folder) and one folder up (an installation).
std::vector<std::filesystem::path> default_operator_folders(std::filesystem::path const& self);

}  // namespace zl::provider
