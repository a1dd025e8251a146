#include "provider/resolver.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "provider/suggest.h"

namespace zl::provider {

namespace {

using References = std::vector<FunctionRef>;

// What one rule says: empty `found` when it does not apply.
struct Match {
  References found;
  std::string how;
  std::string note;
  bool is_shared = false;
};

References lookup(Tree::References const& table, std::string_view name) {
  auto const entry = table.find(name);
  return entry == table.end() ? References{} : entry->second;
}

// pytest.mark takes no name with a leading underscore, so the corpus renames some marks.
Match by_renamed_mark(Index const& index, Tree const& tree, std::string_view id) {
  if (!starts_with(id, "_")) return {};
  if (References found = lookup(tree.by_mark, "underscore" + std::string(id)); !found.empty()) {
    return {std::move(found), "mark underscore_<id>", "", false};
  }
  std::string_view const bare = id.substr(1);
  bool const is_shared = index.find_operator(bare) != nullptr;
  std::string note = is_shared ? fmt::format("shares its mark with the operator '{}'", bare) : "";
  return {lookup(tree.by_mark, bare), "mark without the leading underscore", std::move(note),
          is_shared};
}

// An alias as a mark: aten's overload dot becomes an underscore, all in lower case.
Match by_alias(Index const& index, Tree const& tree, std::string_view id) {
  Operator const* const op = index.find_operator(id);
  if (!op) return {};
  for (std::string const& alias : op->aliases) {
    std::string mark = to_lower(alias);
    std::replace(mark.begin(), mark.end(), '.', '_');
    if (References found = lookup(tree.by_mark, mark); !found.empty()) {
      return {std::move(found), "alias as mark", fmt::format("through its alias {}", alias), false};
    }
  }
  return {};
}

Match by_file_name(Tree const& tree, std::string_view id) {
  Match match{{}, "file name", "", false};
  for (IndexedFile const* const file : tree.files) {
    if (stem_of(file->path) != id) continue;
    for (TestFunction const& function : file->functions) match.found.push_back({file, &function});
  }
  return match;
}

Match by_file_name_end(Tree const& tree, std::string_view id) {
  Match match{{}, "function without a mark in a file named after it", "", false};
  std::string const ending = "_" + std::string(id);
  for (IndexedFile const* const file : tree.files) {
    if (!ends_with(stem_of(file->path), ending)) continue;
    for (TestFunction const& function : file->functions) {
      if (function.marks.empty()) match.found.push_back({file, &function});
    }
  }
  return match;
}

Match first_match(Index const& index, Tree const& tree, std::string_view id) {
  Match match{lookup(tree.by_mark, id), "exact mark", "", false};
  if (!index.find_operator(id)) {
    match.note = "mark without a catalogue id";
    return match;
  }
  if (match.found.empty()) match = by_renamed_mark(index, tree, id);
  if (match.found.empty()) match = {lookup(tree.by_op_name, id), "op_name literal", "", false};
  if (match.found.empty()) match = by_alias(index, tree, id);
  if (match.found.empty()) match = by_file_name(tree, id);
  if (match.found.empty()) match = by_file_name_end(tree, id);
  return match;
}

std::string node_of(FunctionRef const& reference) {
  return reference.file->path + "::" + reference.function->name;
}

std::vector<std::string> nodes_of(References const& references) {
  std::vector<std::string> nodes;
  for (FunctionRef const& reference : references) nodes.push_back(node_of(reference));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// By the corpus' naming: the same tests again, spread over several devices.
bool is_parallel_variant(IndexedFile const& file) {
  return ends_with(stem_of(file.path), "_parallel");
}

// Splits off the parallel variants, unless nothing else is there.
References without_parallel(References const& all, Resolution& resolution) {
  References kept;
  std::set<std::string_view> left_out;
  for (FunctionRef const& reference : all) {
    if (is_parallel_variant(*reference.file)) {
      left_out.insert(reference.file->path);
    } else {
      kept.push_back(reference);
    }
  }
  if (kept.empty()) return all;
  for (std::string_view const path : left_out) {
    resolution.notes.push_back(
        fmt::format("also in {} (parallel variant), which a run leaves out", path));
  }
  return kept;
}

void note_several_files(References const& chosen, Resolution& resolution) {
  std::set<std::string_view> files;
  for (FunctionRef const& reference : chosen) files.insert(reference.file->path);
  if (files.size() < 2) return;
  resolution.notes.push_back(
      fmt::format("ambiguous: in {} files, {}; a run takes all of them, TEST_NODE or OP_FILE one",
                  files.size(), fmt::join(files, ", ")));
}

// The corpus files a result under the function's nearest mark, whatever was asked for.
void note_foreign_keys(std::string_view id, References const& chosen, Resolution& resolution) {
  std::set<std::string_view> keys;
  for (FunctionRef const& reference : chosen) {
    std::vector<std::string> const& marks = reference.function->marks;
    if (!marks.empty() && marks.front() != id) keys.insert(marks.front());
  }
  if (keys.empty()) return;
  resolution.notes.push_back(
      fmt::format("the corpus itself files its results under '{}'", fmt::join(keys, "', '")));
}

void note_broken_files(Tree const& tree, std::string_view id, Resolution& resolution) {
  for (IndexedFile const* const file : tree.broken_files) {
    std::string_view const stem = stem_of(file->path);
    bool const is_near = id == stem || starts_with(id, std::string(stem) + "_") ||
                         starts_with(stem, std::string(id) + "_") ||
                         (starts_with(id, stem) && id.size() == stem.size() + 1);
    if (is_near) resolution.notes.push_back(describe_error(*file));
  }
}

}  // namespace

Index::Index(CorpusIndex corpus_index) : corpus(std::move(corpus_index)) {
  by_id.reserve(corpus.operators.size());
  for (Operator const& op : corpus.operators) by_id.emplace(op.id, &op);
  for (IndexedFile const& file : corpus.files) {
    NodeKind const kind =
        starts_with(file.path, "benchmark/") ? NodeKind::benchmark : NodeKind::tests;
    Tree& tree = trees[static_cast<std::size_t>(kind)];
    tree.files.push_back(&file);
    if (file.error) tree.broken_files.push_back(&file);
    for (TestFunction const& function : file.functions) {
      for (std::string const& mark : function.marks)
        tree.by_mark[mark].push_back({&file, &function});
      for (std::string const& name : function.op_names) {
        tree.by_op_name[name].push_back({&file, &function});
      }
    }
  }
}

Operator const* Index::find_operator(std::string_view id) const {
  auto const entry = by_id.find(id);
  return entry == by_id.end() ? nullptr : entry->second;
}

std::string_view stem_of(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (ends_with(name, ".py")) name.remove_suffix(3);
  if (starts_with(name, "test_")) {
    name.remove_prefix(5);
  } else if (ends_with(name, "_test")) {
    name.remove_suffix(5);
  }
  return name;
}

bool has_nodes(Index const& index, std::string_view id, NodeKind kind) {
  return !first_match(index, index.tree(kind), id).found.empty();
}

Resolution resolve_operator(Index const& index, std::string_view id, NodeKind kind) {
  Resolution resolution;
  resolution.op = id;
  Tree const& tree = index.tree(kind);
  Match const match = first_match(index, tree, id);
  note_broken_files(tree, id, resolution);
  if (match.found.empty()) {
    explain_unresolved(index, kind, resolution);
    return resolution;
  }
  resolution.how = match.how;
  resolution.shared_with_other_id = match.is_shared;
  resolution.nodes = nodes_of(match.found);
  References const chosen = without_parallel(match.found, resolution);
  resolution.default_nodes = nodes_of(chosen);
  note_several_files(chosen, resolution);
  if (!match.note.empty()) resolution.notes.push_back(match.note);
  note_foreign_keys(id, chosen, resolution);
  return resolution;
}

}  // namespace zl::provider
