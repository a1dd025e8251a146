// Brings the index of a corpus up to date: from the cache what is unchanged, from Python the rest.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "provider/corpus_index.h"

namespace zl::provider {

struct Refreshed {
  CorpusIndex index;
  std::vector<std::string> notes;
  std::size_t indexed_files = 0;  // read with Python this time
};

// A cache that is broken, foreign or cannot be written costs time and a note, never the answer. Two
// processes may do this at once: each replaces the cache file as a whole.
Result<Refreshed> refresh_index(OpenOptions const& options);

}  // namespace zl::provider
