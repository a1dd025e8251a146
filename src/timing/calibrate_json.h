#pragma once

#include <string>

#include "timing/targets.h"

namespace zl::timing {

// One line: the figures, and under `targets` what hold_against_targets() says of them.
std::string to_json_line(DeviceFigures const& figures);

}  // namespace zl::timing
