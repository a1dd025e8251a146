#include "batch/device_lock.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

namespace zl::batch {

namespace {

// Of a holder's text: it is another user's word.
constexpr std::size_t kMaxHolderBytes = 8192;

tl::unexpected<Error> not_usable(fs::path const& path, std::string const& why) {
  return fail(ErrorKind::environment,
              fmt::format("cannot use the device lock {}: {}; set ZL_LOCKS to a folder that every "
                          "user of this host can write",
                          path.string(), why));
}

// Everybody's, and what somebody made there only he may take away: as /tmp.
Result<void> make_common_folder(fs::path const& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) {
    if (::chmod(folder.c_str(), 01777) == 0) return {};
    return not_usable(folder, std::strerror(errno));
  }
  int const reason = errno;
  struct stat info {};
  if (::stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return not_usable(folder, reason == EEXIST ? "it is no folder" : std::strerror(reason));
}

// Opened before it is made: where the kernel protects shared folders, opening another user's file
// with O_CREAT is refused.
Result<Fd> open_plain_file(fs::path const& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = -1;
  for (int round = 0; round < 3 && fd < 0; ++round) {
    fd = ::open(path.c_str(), kFlags);
    if (fd >= 0 || errno != ENOENT) break;
    fd = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    if (fd >= 0) ::fchmod(fd, 0666);  // whatever the umask
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) return not_usable(path, std::strerror(errno));
  Fd file(fd);
  struct stat info {};
  bool const is_plain = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink <= 1;
  if (!is_plain) return not_usable(path, "it is no plain file");
  return file;
}

// Whether `path` still leads to it: a cleaner may have taken the file away before it was locked.
bool is_still_there(fs::path const& path, int fd) {
  struct stat named {};
  struct stat opened {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(fd, &opened) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

std::string holder_of(int fd) {
  std::string text(kMaxHolderBytes, '\0');
  ssize_t const count = ::pread(fd, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  std::optional<Json> const told = parse_json(text);
  std::optional<long long> const pid = told ? integer_field(*told, "pid") : std::nullopt;
  if (!pid) return "another zlbench";
  return fmt::format("process {} ({})", *pid,
                     printable(string_field(*told, "held_for").value_or("?"), 300));
}

// A courtesy to who waits: a full disk costs the name and not the lock.
void write_holder(int fd, std::string const& held_for) {
  std::string const text =
      to_line({{"pid", ::getpid()}, {"uid", ::getuid()}, {"held_for", held_for}}) + "\n";
  if (::ftruncate(fd, 0) != 0) return;
  ssize_t const ignored = ::pwrite(fd, text.data(), text.size(), 0);
  static_cast<void>(ignored);
}

}  // namespace

fs::path lock_folder(Environment const& environment) {
  std::string const own = trim(lookup(environment, "ZL_LOCKS").value_or(""));
  if (!own.empty()) return fs::absolute(own);
  // By what it is and not by whether we may write there: root and a user must agree.
  struct stat info {};
  bool const is_for_all = ::stat("/run/lock", &info) == 0 && (info.st_mode & 01777) == 01777;
  return is_for_all ? "/run/lock/zlbench" : "/tmp/zlbench-locks";
}

std::string lock_name(std::string const& backend, backend::Device const& device) {
  std::string name = device.uuid ? *device.uuid : fmt::format("{}-{}", backend, device.index);
  for (char& letter : name) {
    bool const is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-';
    if (!is_plain) letter = '_';
  }
  return name + ".lock";
}

Result<DeviceLock::Attempt> DeviceLock::try_take(fs::path const& folder, std::string const& name,
                                                 std::string const& held_for) {
  Result<void> const made = make_common_folder(folder);
  if (!made) return tl::unexpected<Error>(made.error());
  fs::path const path = folder / name;
  for (int round = 0; round < 100; ++round) {
    Result<Fd> file = open_plain_file(path);
    if (!file) return tl::unexpected<Error>(file.error());
    if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return not_usable(path, std::strerror(errno));
      return Attempt{std::nullopt, holder_of(file->get())};
    }
    if (!is_still_there(path, file->get())) continue;
    write_holder(file->get(), held_for);
    return Attempt{DeviceLock(std::move(*file)), ""};
  }
  return not_usable(path, "it is taken away again and again");
}

}  // namespace zl::batch
