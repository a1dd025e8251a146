#include "batch/order.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"
#include "batch/batch_folder.h"
#include "results/status_csv.h"

namespace zl::batch {

namespace {

// Older ones tell nothing that these do not; each costs the reading of its log's tables.
constexpr std::size_t kMostBatches = 20;

std::vector<fs::path> newest_batches(fs::path const& runs) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (fs::directory_iterator one(runs, code), end; !code && one != end; one.increment(code)) {
    if (fs::exists(one->path() / "batch.json", code)) folders.push_back(one->path());
  }
  // Their names begin with the time.
  std::sort(folders.begin(), folders.end(), std::greater<>());
  folders.resize(std::min(folders.size(), kMostBatches));
  return folders;
}

}  // namespace

Result<Shard> parse_shard(std::string const& text) {
  std::vector<std::string> const parts = split(text, '/');
  auto const index = parts.size() == 2 ? parse_integer(trim(parts[0])) : std::nullopt;
  auto const of = parts.size() == 2 ? parse_integer(trim(parts[1])) : std::nullopt;
  bool const is_shard = index && of && *index >= 1 && *index <= *of && *of <= 100'000;
  if (is_shard) return Shard{static_cast<int>(*index), static_cast<int>(*of)};
  return fail(ErrorKind::usage, fmt::format("--shard '{}': i/n is meant, with 1 <= i <= n, as 2/4",
                                            printable(text, 60)));
}

std::vector<provider::ProviderCase> of_shard(std::vector<provider::ProviderCase> const& operations,
                                             Shard const& shard) {
  std::vector<provider::ProviderCase> own;
  for (std::size_t i = static_cast<std::size_t>(shard.index - 1); i < operations.size();
       i += static_cast<std::size_t>(shard.of)) {
    own.push_back(operations[i]);
  }
  return own;
}

std::map<std::string, double> known_durations(fs::path const& runs, std::string const& backend) {
  std::map<std::string, double> durations;
  for (fs::path const& folder : newest_batches(runs)) {
    Result<std::string> const text = read_file(folder / "ops_status.csv");
    if (!text) continue;
    for (results::StatusFacts const& row : results::parse_status_rows(*text)) {
      bool const tells = row.backend == backend && row.duration_s > 0;
      if (tells) durations.emplace(row.op, row.duration_s);
    }
  }
  return durations;
}

std::vector<provider::ProviderCase> longest_first(std::vector<provider::ProviderCase> operations,
                                                  std::map<std::string, double> const& durations) {
  double known_s = 0;
  double known_nodes = 0;
  for (provider::ProviderCase const& operation : operations) {
    auto const found = durations.find(operation.op);
    if (found == durations.end()) continue;
    known_s += found->second;
    known_nodes += static_cast<double>(std::max<std::size_t>(1, operation.nodes.size()));
  }
  double const per_node_s = known_nodes > 0 ? known_s / known_nodes : 1;
  auto const expected_s = [&](provider::ProviderCase const& operation) {
    auto const found = durations.find(operation.op);
    if (found != durations.end()) return found->second;
    return per_node_s * static_cast<double>(operation.nodes.size());
  };
  std::stable_sort(operations.begin(), operations.end(),
                   [&](auto const& a, auto const& b) { return expected_s(a) > expected_s(b); });
  return operations;
}

}  // namespace zl::batch
