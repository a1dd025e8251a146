#include "provider/corpus_index.h"

#include <fmt/format.h>

namespace zl::provider {

std::string describe_error(IndexedFile const& file) {
  ParseError const& error = file.error.value();
  if (error.line == 0) return fmt::format("{} cannot be read: {}", file.path, error.message);
  return fmt::format("{}:{} does not parse: {}", file.path, error.line, error.message);
}

}  // namespace zl::provider
