#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "provider/flaggems.h"
#include "provider/provider.h"

namespace zl::cli {

// The operators of one provider: their names in catalogue order, and how to look one up. A name
// that the provider does not have gives a case with a problem that says so.
struct Catalogue {
  std::vector<std::string> names;
  std::function<provider::ProviderCase(std::string const& name)> find;
  std::vector<std::string> notes;
};

// `provider`: "flaggems" or "native" (choose_provider).
Result<Catalogue> open_catalogue(Context const& context, std::string const& provider,
                                 provider::NodeKind kind);

struct Selection {
  std::vector<provider::ProviderCase> operations;
  std::vector<std::string> notes;
};

// What plan, run and batch were asked to run, in the order asked. TEST_NODE and OP_FILE win over
// names. A wrong name on the command line is a usage error with "did you mean"; one in a file, and
// an operator of the catalogue without a node, stays in with its problem.
Result<Selection> select_operations(Context const& context, std::string const& provider);

// Names and globs to names, each once, in order. A glob without a match selects nothing: an error.
// Plain names are kept as they are, whether `all` has them or not.
Result<std::vector<std::string>> expand_names(std::vector<std::string> const& wanted,
                                              std::vector<std::string> const& all);

// One name a line; blank lines and # comments are skipped; doubles are dropped.
std::vector<std::string> names_of_file(std::string const& text);

}  // namespace zl::cli
