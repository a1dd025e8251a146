// Files compiled into the binary (cmake/embed.cmake), so that one binary is all that must be
// carried.
#pragma once

#include <span>
#include <string_view>

namespace zl {

struct EmbeddedFile {
  std::string_view name;  // file name without folder
  std::string_view text;
};

namespace embedded {
std::span<const EmbeddedFile> descriptors();     // src/backend/vendors/*.yaml
std::span<const EmbeddedFile> rules();           // src/check/rules/*.yaml
std::span<const EmbeddedFile> probes();          // src/check/probes/*
std::span<const EmbeddedFile> python_plugins();  // python/zlbench_plugins/*.py
std::span<const EmbeddedFile> python_indexer();  // python/indexer/*.py
std::span<const EmbeddedFile> python_linter();   // python/linter/*.py
EmbeddedFile engine_library();                   // libzl_timing, its name holds its hash
}  // namespace embedded

}  // namespace zl
