#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "provider/provider.h"

namespace zl::batch {

// i of n, as `--shard i/n` says it.
struct Shard {
  int index = 1;
  int of = 1;
};
// Errors are of kind usage.
Result<Shard> parse_shard(std::string const& text);

// Every n-th operator, from the i-th on: the shards of one selection share nothing and miss
// nothing, whatever else is known on the machine that asks. Pure.
std::vector<provider::ProviderCase> of_shard(std::vector<provider::ProviderCase> const& operations,
                                             Shard const& shard);

// How long each operator took when it last ended well or badly by itself, by the batches under
// `runs` of this backend; the newest batch counts. What cannot be read is left out.
std::map<std::string, double> known_durations(fs::path const& runs, std::string const& backend);

// The long ones first, so that no device waits at the end for one that was begun last. An operator
// of which nothing is known is taken for an average one for each of its nodes. Pure; those of one
// length keep their order.
std::vector<provider::ProviderCase> longest_first(std::vector<provider::ProviderCase> operations,
                                                  std::map<std::string, double> const& durations);

}  // namespace zl::batch
