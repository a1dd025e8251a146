// From an operator id to nodes, by the rules that FlagGems' own naming needs.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "provider/corpus_index.h"

namespace zl::provider {

struct FunctionRef {
  IndexedFile const* file = nullptr;
  TestFunction const* function = nullptr;
};

// One test tree, looked up by what an id may meet there.
struct Tree {
  using References = std::unordered_map<std::string_view, std::vector<FunctionRef>>;
  References by_mark;
  References by_op_name;
  std::vector<IndexedFile const*> files;
  std::vector<IndexedFile const*> broken_files;  // those that do not parse
};

struct Index {
  explicit Index(CorpusIndex corpus_index);
  Index(Index const&) = delete;
  Index& operator=(Index const&) = delete;

  Tree const& tree(NodeKind kind) const { return trees[static_cast<std::size_t>(kind)]; }
  Operator const* find_operator(std::string_view id) const;

  CorpusIndex const corpus;
  std::unordered_map<std::string_view, Operator const*> by_id;
  std::array<Tree, 2> trees;
};

// Does any rule resolve this id, or mark without a catalogue id?
bool has_nodes(Index const& index, std::string_view id, NodeKind kind);

Resolution resolve_operator(Index const& index, std::string_view id, NodeKind kind);

// "test_abs.py" -> "abs"; "abs_test.py" -> "abs".
std::string_view stem_of(std::string_view path);

}  // namespace zl::provider
