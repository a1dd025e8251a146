// Why an operator id leads to no node, and what to try instead.
#pragma once

#include "provider/resolver.h"

namespace zl::provider {

// Fills `problem` and `suggestions` of a resolution whose `op` no rule resolved.
void explain_unresolved(Index const& index, NodeKind kind, Resolution& resolution);

}  // namespace zl::provider
