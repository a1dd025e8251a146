// What a provider hands to the layers above: one operator and the nodes that a child is to run.
#pragma once

#include <string>
#include <vector>

namespace zl::provider {

struct ProviderCase {
  std::string op;
  std::string provider;            // "flaggems" or "native"
  std::vector<std::string> nodes;  // pytest nodes or native cases; empty when there is a problem
  // Every node that the operator's rule matches; `nodes` leaves out parallel variants of a test.
  std::vector<std::string> all_nodes;
  std::string library;  // native: the path of the plug-in library
  std::string problem;  // empty, or why there is no node and what to try, one line
  std::vector<std::string> suggestions;
  std::vector<std::string> notes;  // worth knowing, one line each
  std::string stage;               // as the corpus' catalogue says; empty when it says nothing
};

}  // namespace zl::provider
