#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <xxhash.h>

namespace zl {

namespace {

tl::unexpected<Error> system_error(std::string const& what, fs::path const& path) {
  return fail(ErrorKind::environment,
              fmt::format("{} {}: {}", what, path.string(), std::strerror(errno)));
}

}  // namespace

Result<std::string> read_file(fs::path const& path) {
  Fd const fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return system_error("cannot read", path);
  std::string text;
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      errno = EISDIR;
      return system_error("cannot read", path);
    }
    text.reserve(static_cast<std::size_t>(info.st_size));
  }
  char buffer[65536];
  while (true) {
    ssize_t const count = ::read(fd.get(), buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read", path);
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

Result<void> write_all(int fd, std::string_view bytes, std::string const& what) {
  while (!bytes.empty()) {
    ssize_t const count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot write", what);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> write_file_atomic(fs::path const& path, std::string_view text) {
  std::string temporary = path.string() + ".XXXXXX";
  Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.is_open()) return system_error("cannot write", path);
  Result<void> written = write_all(fd.get(), text, path.string());
  if (written && ::fchmod(fd.get(), 0644) != 0) written = system_error("cannot write", path);
  if (written && ::fdatasync(fd.get()) != 0) written = system_error("cannot write", path);
  fd.reset();
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = system_error("cannot write", path);
  }
  if (!written) ::unlink(temporary.c_str());
  return written;
}

Result<void> make_folder(fs::path const& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (!code && fs::is_directory(path, code)) return {};
  if (!code) code = std::make_error_code(std::errc::not_a_directory);
  return fail(ErrorKind::environment,
              fmt::format("cannot make folder {}: {}", path.string(), code.message()));
}

Result<void> check_writable(fs::path const& folder) {
  std::string probe = (folder / ".zlbench-probe-XXXXXX").string();
  Fd const fd(::mkostemp(probe.data(), O_CLOEXEC));
  if (!fd.is_open()) return system_error("cannot write in folder", folder);
  ::unlink(probe.c_str());
  return {};
}

fs::path user_cache_folder(Environment const& environment) {
  // The XDG specification ignores a relative XDG_CACHE_HOME.
  auto const xdg = lookup(environment, "XDG_CACHE_HOME");
  if (xdg && fs::path(*xdg).is_absolute()) return fs::path(*xdg) / "zlbench";
  auto const home = lookup(environment, "HOME");
  if (home && fs::path(*home).is_absolute()) return fs::path(*home) / ".cache" / "zlbench";
  return {};
}

Result<fs::path> own_executable() {
  std::error_code code;
  fs::path path = fs::read_symlink("/proc/self/exe", code);
  if (code) {
    return fail(ErrorKind::environment, "cannot read /proc/self/exe: " + code.message());
  }
  return path;
}

std::string content_hash(std::string_view bytes) {
  XXH128_hash_t const hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace zl
