#pragma once

#include <nlohmann/json_fwd.hpp>

namespace zl::native {

// What this machine is and how busy: with what a host number was taken. A field that cannot be read
// is left out.
nlohmann::json machine_identity();

}  // namespace zl::native
