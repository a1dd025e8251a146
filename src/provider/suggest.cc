#include "provider/suggest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>

#include "base/text.h"

namespace zl::provider {

namespace {

NodeKind other(NodeKind kind) {
  return kind == NodeKind::benchmark ? NodeKind::tests : NodeKind::benchmark;
}

std::string_view kind_words(NodeKind kind) {
  return kind == NodeKind::benchmark ? "benchmark" : "accuracy test";
}

// x_out, x_, x_backward, x_scalar_, ... -> x, where tests of x exist; the nearest such x.
std::string base_operator(Index const& index, NodeKind kind, std::string_view id) {
  std::string_view rest = id;
  while (true) {
    while (ends_with(rest, "_")) rest.remove_suffix(1);
    if (rest.empty()) return "";
    if (rest != id && has_nodes(index, rest, kind)) return std::string(rest);
    std::size_t const cut = rest.rfind('_');
    if (cut == std::string_view::npos || cut == 0) return "";
    rest = rest.substr(0, cut);
  }
}

using Histogram = std::array<int, 256>;

Histogram histogram_of(std::string_view text) {
  Histogram counts{};
  for (char const c : text) ++counts[static_cast<unsigned char>(c)];
  return counts;
}

// False only where near_names would refuse it too: one edit changes two counts at most. This keeps
// the distance, which costs far more, off nearly all names.
bool may_be_near(std::string_view wrong, Histogram const& wrong_counts, std::string_view known) {
  Histogram const counts = histogram_of(known);
  int difference = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    difference += std::abs(counts[i] - wrong_counts[i]);
  }
  std::size_t const longest = std::max(wrong.size(), known.size());
  return static_cast<std::size_t>(difference) / 2 <= std::max<std::size_t>(1, longest / 3);
}

bool contains_words(std::string_view text, std::string_view words) {
  std::string const framed = fmt::format("_{}_", text);
  return framed.find(fmt::format("_{}_", words)) != std::string::npos;
}

// Marks that hold the whole id first (bitwise_and_scalar for and_scalar), else those spelled alike.
std::vector<std::string> near_marks(Tree const& tree, std::string const& id) {
  Histogram const counts = histogram_of(id);
  std::vector<std::string> holding;
  std::vector<std::string> alike;
  for (auto const& [mark, functions] : tree.by_mark) {
    if (mark.find(id) != std::string_view::npos && contains_words(mark, id)) {
      holding.emplace_back(mark);
    } else if (may_be_near(id, counts, mark)) {
      alike.emplace_back(mark);
    }
  }
  if (holding.empty()) {
    std::sort(alike.begin(), alike.end());
    return near_names(id, alike);
  }
  std::sort(holding.begin(), holding.end());
  holding.resize(std::min<std::size_t>(holding.size(), 3));
  return holding;
}

std::vector<std::string> quoted(std::vector<std::string> names) {
  for (std::string& name : names) name = "'" + name + "'";
  return names;
}

std::string other_kind_hint(Index const& index, NodeKind kind, std::string_view id) {
  Tree const& tree = index.tree(other(kind));
  auto const entry = tree.by_mark.find(id);
  if (entry == tree.by_mark.end()) return "";
  FunctionRef const& first = entry->second.front();
  return fmt::format(" (its {}: {}::{})", kind_words(other(kind)), first.file->path,
                     first.function->name);
}

void explain_listed(Index const& index, NodeKind kind, Resolution& resolution) {
  Tree const& tree = index.tree(kind);
  resolution.problem = fmt::format(
      "no {} of '{}': no function there has its mark, and no op_name, "
      "alias or file name leads to one{}",
      kind_words(kind), resolution.op, other_kind_hint(index, kind, resolution.op));
  if (std::string base = base_operator(index, kind, resolution.op); !base.empty()) {
    resolution.problem += fmt::format("; try '{}', which it is a variant of", base);
    resolution.suggestions.push_back(std::move(base));
    return;
  }
  resolution.suggestions = near_marks(tree, resolution.op);
  resolution.problem += resolution.suggestions.empty()
                            ? "; name its node with TEST_NODE if you know one"
                            : fmt::format("; the nearest marks are {}",
                                          fmt::join(quoted(resolution.suggestions), ", "));
}

// What a user may have meant: any id, and any mark that tests of this kind carry.
void explain_unknown(Index const& index, NodeKind kind, Resolution& resolution) {
  std::vector<std::string> known;
  for (auto const& [mark, functions] : index.tree(kind).by_mark) known.emplace_back(mark);
  for (Operator const& op : index.corpus.operators) known.push_back(op.id);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  resolution.suggestions = near_names(resolution.op, known);
  resolution.problem =
      fmt::format("'{}' is neither an operator of the catalogue nor a mark of the {}s{}.{}",
                  resolution.op, kind_words(kind), other_kind_hint(index, kind, resolution.op),
                  did_you_mean(resolution.op, known));
}

}  // namespace

void explain_unresolved(Index const& index, NodeKind kind, Resolution& resolution) {
  if (!is_valid_operator_id(resolution.op)) {
    resolution.problem =
        fmt::format("'{}' cannot be an operator id: only letters, digits, '_', '.' and '-'",
                    to_valid_utf8(printable(resolution.op)));
  } else if (index.find_operator(resolution.op)) {
    explain_listed(index, kind, resolution);
  } else {
    explain_unknown(index, kind, resolution);
  }
}

}  // namespace zl::provider
