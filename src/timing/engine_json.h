#pragma once

#include <string>

#include "timing/engine.h"

namespace zl::timing {

// One line each, as engine_c.h describes them.
std::string to_json_line(DeviceError const& error);
std::string to_json_line(Calibration const& calibration);
std::string to_json_line(DeviceTimings const& timings);
std::string describe_json_line(Session const& session);
std::string describe_host_json_line();
std::string escape_json_line(std::string const& escape);

}  // namespace zl::timing
