#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/descriptor.h"
#include "base/result.h"

namespace zl::backend {

// All known backends: the descriptors compiled in, then those of `extra_dirs` (*.yaml, in the order
// of their file names), each of which adds a backend or replaces the one with the same `name`.
class Registry {
 public:
  // Errors: a folder that cannot be read, a broken descriptor, a name or alias that two claim.
  static Result<Registry> load(std::vector<std::filesystem::path> const& extra_dirs);

  // By name or alias; case and surrounding blanks do not matter. The pointer lives as long as this.
  Result<Descriptor const*> find(std::string_view name) const;

  std::vector<Descriptor> const& all() const { return descriptors_; }
  std::vector<std::string> names() const;
  std::vector<std::string> vendors() const;  // the corpus' vendor names, each once, sorted

 private:
  std::vector<Descriptor> descriptors_;
};

}  // namespace zl::backend
