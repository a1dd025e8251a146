#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/fd.h"
#include "base/result.h"

namespace zl {

namespace fs = std::filesystem;

// The whole file. Errors name the path and the system's reason.
Result<std::string> read_file(fs::path const& path);

// Written beside the target and renamed over it, so that a reader sees the old or the new text and
// never half of it. Checks the final flush: a full disk is an error, not a short file.
Result<void> write_file_atomic(fs::path const& path, std::string_view text);

// All bytes or an error; retries on EINTR. `what` names the file in the error.
Result<void> write_all(int fd, std::string_view bytes, std::string const& what);

// With parents. An existing folder is fine; anything else there is an error.
Result<void> make_folder(fs::path const& path);

// Can a file be made here? Tries it (a root user passes permission bits, a read-only disk does
// not).
Result<void> check_writable(fs::path const& folder);

// $XDG_CACHE_HOME/zlbench or ~/.cache/zlbench; empty when neither variable is set.
fs::path user_cache_folder(Environment const& environment);

// The running program's own path (/proc/self/exe).
Result<fs::path> own_executable();

// XXH3, 128 bits, as 32 hex digits. For identity and caches, not for security.
std::string content_hash(std::string_view bytes);

}  // namespace zl
