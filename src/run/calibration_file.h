#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "backend/device.h"
#include "base/files.h"

namespace zl::run {

// Where `zlbench calibrate` keeps what it found of a device, in the folder for runs.
fs::path calibration_file(fs::path const& runs, backend::Descriptor const& backend,
                          backend::Device const& device);

// What a run says of the calibration of its device: when, with what, and the few figures that tell
// what a number of it is worth. Null when there is no calibration, or none that can be read.
nlohmann::json calibration_digest(fs::path const& file);

}  // namespace zl::run
