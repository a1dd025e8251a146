#include "run/plugin_folder.h"

#include "base/embedded.h"

namespace zl::run {

namespace {

std::string hash_of_plugins() {
  std::string all;
  for (EmbeddedFile const& file : embedded::python_plugins()) {
    all.append(file.name).push_back('\0');
    all.append(file.text).push_back('\0');
  }
  return content_hash(all).substr(0, 16);
}

Result<void> unpack_into(fs::path const& package) {
  Result<void> const made = make_folder(package);
  if (!made) return made;
  for (EmbeddedFile const& file : embedded::python_plugins()) {
    fs::path const path = package / file.name;
    Result<std::string> const present = read_file(path);
    if (present && *present == file.text) continue;
    Result<void> const written = write_file_atomic(path, file.text);
    if (!written) return written;
  }
  return {};
}

}  // namespace

Result<fs::path> unpack_plugins(Environment const& environment, fs::path const& fallback) {
  fs::path const cache = user_cache_folder(environment);
  std::string const name = "python-" + hash_of_plugins();
  if (!cache.empty() && unpack_into(cache / name / "zlbench_plugins")) return cache / name;
  Result<void> const unpacked = unpack_into(fallback / name / "zlbench_plugins");
  if (!unpacked) return in_context("unpacking the pytest plug-ins", unpacked.error());
  return fallback / name;
}

Result<fs::path> unpack_engine(fs::path const& folder) {
  EmbeddedFile const engine = embedded::engine_library();
  fs::path const path = folder / engine.name;
  std::error_code error;
  // The name holds the content's hash, and files are put in place whole.
  if (fs::file_size(path, error) == engine.text.size() && !error) return path;
  Result<void> const written = write_file_atomic(path, engine.text);
  if (!written) return in_context("unpacking the timing engine", written.error());
  return path;
}

}  // namespace zl::run
