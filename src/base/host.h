#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zl {

// This program's version, "zlbench 0.1.0".
std::string own_version();

// The host's own name, as uname(2) has it.
std::string host_name();

// {"name", "kernel", "machine", "processor", "cores"}: what numbers of this host depend on.
nlohmann::json host_facts();

// Now as 2026-11-30T19:05:17Z.
std::string utc_now();

}  // namespace zl
