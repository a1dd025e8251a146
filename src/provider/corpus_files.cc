#include "provider/corpus_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

#include "base/text.h"

namespace zl::provider {

namespace {

std::int64_t to_ns(timespec const& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::optional<FileStamp> stamp_at(int folder, char const* path) {
  struct stat info {};
  if (::fstatat(folder, path, &info, 0) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(info.st_size), to_ns(info.st_mtim),
                   to_ns(info.st_ctim), static_cast<std::uint64_t>(info.st_ino)};
}

bool is_test_file(std::string_view name) {
  return ends_with(name, ".py") && (starts_with(name, "test_") || ends_with(name, "_test.py"));
}

// The index keeps names in lines of text, and the indexer is asked in JSON.
bool is_plain(std::string_view text) {
  return to_valid_utf8(text) == text && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20;
         });
}

bool is_skipped_folder(std::string_view name) {
  return starts_with(name, ".") || name == "__pycache__" || name == "node_modules";
}

// Reads one folder and what is below it. Files are looked at from their folder's descriptor, which
// spares the system the way from the root for each of some 1,400.
class Walk {
 public:
  Walk(FoundFiles& found, bool (*is_wanted)(std::string_view name))
      : found_(found), is_wanted_(is_wanted) {}

  void add_folder(fs::path const& full, std::string const& path) {
    std::unique_ptr<DIR, int (*)(DIR*)> const folder(::opendir(full.c_str()), &::closedir);
    if (!folder) {
      found_.notes.push_back(fmt::format("{}: cannot be listed: {}", path, std::strerror(errno)));
      return;
    }
    std::vector<std::string> folders;
    while (dirent const* const entry = ::readdir(folder.get())) {
      std::string const name = entry->d_name;
      if (is_wanted_(name)) {
        add_file(::dirfd(folder.get()), name, path + "/" + name);
      } else if (!is_skipped_folder(name) && is_folder(::dirfd(folder.get()), *entry)) {
        folders.push_back(name);
      }
    }
    for (std::string const& name : folders) add_folder(full / name, path + "/" + name);
  }

 private:
  static bool is_folder(int parent, dirent const& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat info {};
    return ::fstatat(parent, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(info.st_mode);
  }

  void add_file(int parent, std::string const& name, std::string path) {
    std::optional<FileStamp> const stamp = stamp_at(parent, name.c_str());
    if (!is_plain(path)) {
      found_.notes.push_back(
          fmt::format("{}: left out, its name is no plain text", to_valid_utf8(printable(path))));
    } else if (!stamp) {
      found_.notes.push_back(
          fmt::format("{}: left out, it is no file that can be read (a link to nowhere?)", path));
    } else {
      found_.files.push_back({std::move(path), *stamp});
    }
  }

  FoundFiles& found_;
  bool (*is_wanted_)(std::string_view name);
};

}  // namespace

std::int64_t file_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return to_ns(now);
}

std::optional<FileStamp> stamp_of(fs::path const& path) {
  return stamp_at(AT_FDCWD, path.c_str());
}

bool is_racy(FileStamp const& stamp, std::int64_t taken_ns) {
  return std::max(stamp.mtime_ns, stamp.ctime_ns) >= taken_ns;
}

FoundFiles find_files(fs::path const& root, std::vector<std::string> const& folders,
                      bool (*is_wanted)(std::string_view name)) {
  FoundFiles found;
  for (std::string const& folder : folders) {
    std::error_code code;
    if (fs::is_directory(root / folder, code))
      Walk(found, is_wanted).add_folder(root / folder, folder);
  }
  std::sort(found.files.begin(), found.files.end(),
            [](FoundFile const& a, FoundFile const& b) { return a.path < b.path; });
  return found;
}

FoundFiles find_test_files(fs::path const& root) {
  return find_files(root, {"benchmark", "tests"}, is_test_file);
}

}  // namespace zl::provider
