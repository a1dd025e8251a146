// Which test files a corpus has, and whether one changed since it was indexed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/corpus_index.h"

namespace zl::provider {

// The clock that stamps files, now.
std::int64_t file_clock_ns();

// Of the file that a link leads to; nothing when it is no regular file or cannot be reached.
std::optional<FileStamp> stamp_of(fs::path const& path);

// Changed at the time of the index or later: a second change may have left the stamp as it is.
bool is_racy(FileStamp const& stamp, std::int64_t taken_ns);

struct FoundFile {
  std::string path;  // relative to the root
  FileStamp stamp;
};

struct FoundFiles {
  std::vector<FoundFile> files;  // sorted by path
  std::vector<std::string> notes;
};

// The files below some folders of the root whose names are wanted, without following links to
// folders. What cannot be listed, read or named in text is left out with a note.
FoundFiles find_files(fs::path const& root, std::vector<std::string> const& folders,
                      bool (*is_wanted)(std::string_view name));

// The test files (test_*.py, *_test.py) under the corpus' benchmark and tests folders, as pytest
// would find them, without following links to folders.
FoundFiles find_test_files(fs::path const& root);

}  // namespace zl::provider
