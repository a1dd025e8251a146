// What zlbench knows of a FlagGems checkout: its catalogue, and the marks of each test file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provider/flaggems.h"

namespace zl::provider {

// When all of it is unchanged, so is the file, unless the file is as young as the index (is_racy).
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(FileStamp const&) const = default;
};

struct TestFunction {
  std::string name;  // as in a node: "test_x" or "TestA::test_x"
  int line = 0;
  std::vector<std::string> marks;     // nearest first, without those that steer pytest itself
  std::vector<std::string> op_names;  // literals given as op_name=
};

struct ParseError {
  int line = 0;
  std::string message;
};

struct IndexedFile {
  std::string path;  // relative to the root
  FileStamp stamp;
  std::string hash;  // content_hash: the truth; the stamp only saves reading
  std::vector<TestFunction> functions;
  std::optional<ParseError> error;
};

// "tests/test_x.py:12 does not parse: invalid syntax". Only of a file with an error.
std::string describe_error(IndexedFile const& file);

struct CorpusIndex {
  std::int64_t taken_ns = 0;  // file system clock before the first file was looked at
  std::string python;         // who parsed; another interpreter may parse what this one could not
  FileStamp catalogue_stamp;
  std::string catalogue_hash;
  std::vector<Operator> operators;
  std::vector<IndexedFile> files;  // sorted by path
};

}  // namespace zl::provider
