#include "provider/flaggems.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/text.h"
#include "provider/catalogue.h"
#include "provider/refresh.h"
#include "provider/resolver.h"

namespace zl::provider {

Result<FlagGemsCorpus> FlagGemsCorpus::open(OpenOptions const& options) {
  Result<void> const checked = check_corpus(options.root);
  if (!checked) return tl::unexpected<Error>(checked.error());
  Result<Refreshed> refreshed = refresh_index(options);
  if (!refreshed) return tl::unexpected<Error>(refreshed.error());
  FlagGemsCorpus corpus(options.root, std::make_unique<Index const>(std::move(refreshed->index)));
  corpus.notes_ = std::move(refreshed->notes);
  corpus.indexed_files_ = refreshed->indexed_files;
  return corpus;
}

FlagGemsCorpus::FlagGemsCorpus(fs::path root, std::unique_ptr<Index const> index)
    : root_(std::move(root)), index_(std::move(index)) {}
FlagGemsCorpus::FlagGemsCorpus(FlagGemsCorpus&&) noexcept = default;
FlagGemsCorpus& FlagGemsCorpus::operator=(FlagGemsCorpus&&) noexcept = default;
FlagGemsCorpus::~FlagGemsCorpus() = default;

std::vector<Operator> const& FlagGemsCorpus::operators() const {
  return index_->corpus.operators;
}

Resolution FlagGemsCorpus::resolve(std::string_view id, NodeKind kind) const {
  return resolve_operator(*index_, id, kind);
}

ProviderCase FlagGemsCorpus::make_case(std::string_view id, NodeKind kind) const {
  Resolution resolution = resolve(id, kind);
  Operator const* const op = index_->find_operator(id);
  ProviderCase result;
  result.op = id;
  result.provider = "flaggems";
  result.nodes = std::move(resolution.default_nodes);
  result.all_nodes = std::move(resolution.nodes);
  result.notes = std::move(resolution.notes);
  result.problem = std::move(resolution.problem);
  result.suggestions = std::move(resolution.suggestions);
  if (op) result.stage = op->stage;
  return result;
}

Result<void> check_corpus(fs::path const& root) {
  std::error_code code;
  std::string missing;
  if (root.empty() || !fs::is_directory(root, code)) {
    missing = "no such folder";
  } else if (!fs::is_regular_file(root / kCatalogueFile, code)) {
    missing = fmt::format("it has no {}", kCatalogueFile);
  } else if (!fs::is_directory(root / "benchmark", code)) {
    missing = "it has no folder benchmark/";
  }
  if (missing.empty()) return {};
  return fail(ErrorKind::environment,
              fmt::format("'{}' is not a FlagGems checkout: {}; pass the folder that holds {} and "
                          "benchmark/",
                          root.string(), missing, kCatalogueFile));
}

bool is_valid_operator_id(std::string_view id) {
  return !id.empty() && id != "." && id != ".." && std::all_of(id.begin(), id.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  });
}

}  // namespace zl::provider
