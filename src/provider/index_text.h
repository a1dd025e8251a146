// The cached form of a CorpusIndex: lines of tab-separated fields, made to be read in milliseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provider/corpus_index.h"

namespace zl::provider {

// `key` stands for everything else that the content depends on (format, indexer, corpus root).
std::string to_text(CorpusIndex const& index, std::string_view key);

// Nothing when the text was cut, changed, or written under another key.
std::optional<CorpusIndex> from_text(std::string_view text, std::string_view key);

}  // namespace zl::provider
