#pragma once

#include "base/environment.h"
#include "base/files.h"

namespace zl::run {

// The folder for PYTHONPATH that holds the plug-ins compiled into this program. Written below the
// user's cache folder, or below `fallback` when that cannot be written; named by the content's
// hash, so that two versions never share one, and checked before use.
Result<fs::path> unpack_plugins(Environment const& environment, fs::path const& fallback);

// The timing engine that is compiled into this program, as a file in `folder`.
Result<fs::path> unpack_engine(fs::path const& folder);

}  // namespace zl::run
