// What the linter answered last time, kept until a file of the corpus changes.
#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "provider/corpus_files.h"

namespace zl::check {

class LintCache {
 public:
  // `key` stands for all that the answer depends on beside the files. An empty folder: no cache.
  LintCache(fs::path const& folder, fs::path const& root, std::string const& key);

  // Files that changed while the answer was made, or at that very moment, are not trusted.
  std::optional<std::string> find(std::vector<provider::FoundFile> const& files) const;

  // `taken_ns`: the files' clock before the first of them was looked at.
  Result<void> store(std::vector<provider::FoundFile> const& files, std::int64_t taken_ns,
                     std::string const& answer) const;

 private:
  fs::path file_;  // empty: no cache
  std::string key_;
};

}  // namespace zl::check
