// Runs the embedded Python helper that reads test files with `ast`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "provider/corpus_index.h"

namespace zl::provider {

// Functions or a parse error for each of `paths` (relative to root), in their order; stamps and
// hashes stay empty. One call of `python`. The error says why that failed, and what to do.
Result<std::vector<IndexedFile>> index_files(fs::path const& root,
                                             std::vector<std::string> const& paths,
                                             std::string const& python,
                                             Environment const& environment);

// Stands for the helper's own text: what another helper found need not hold.
std::string indexer_version();

}  // namespace zl::provider
