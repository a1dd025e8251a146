// The corpus' list of operators.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "provider/flaggems.h"

namespace zl::provider {

inline constexpr char kCatalogueFile[] = "conf/operators.yaml";

// Reads the text of conf/operators.yaml. Entries without a usable id are left out, and of a
// repeated id the first counts. The error names the line that is not YAML.
Result<std::vector<Operator>> parse_catalogue(std::string const& text);

}  // namespace zl::provider
