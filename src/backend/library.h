#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace zl::backend {

// One row of a table of entry points. The loader stores the address at `slot` (offsetof) of a
// struct of function pointers; an optional symbol that is missing leaves a null pointer there.
struct Symbol {
  char const* name;
  char const* older;  // tried when `name` is missing: same signature; null: none
  std::size_t slot;
  bool required;
};

struct LoadedLibrary {
  std::string library;               // the candidate that was taken
  std::vector<std::string> older;    // symbols found under their older name only
  std::vector<std::string> missing;  // optional symbols that are not there
};

// lazy_global: for a library that loads others itself, which then look for its symbols.
enum class Binding { now_local, lazy_global };

// Opens the first candidate that has all required symbols; it stays open for the life of the
// process (vendor libraries do not survive dlclose). The error tells, for each candidate, what the
// dynamic loader said or which symbol is missing.
Result<LoadedLibrary> load_library(std::vector<std::string> const& candidates,
                                   Environment const& environment, std::span<Symbol const> symbols,
                                   void* table, Binding binding = Binding::now_local);

}  // namespace zl::backend
