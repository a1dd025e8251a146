#include "check/lint_cache.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"

namespace zl::check {

namespace {

// One text for all stamps: that is what must not have changed.
std::string stamps_hash(std::vector<provider::FoundFile> const& files) {
  std::string text;
  for (provider::FoundFile const& file : files) {
    provider::FileStamp const& stamp = file.stamp;
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", file.path, stamp.size, stamp.mtime_ns,
                        stamp.ctime_ns, stamp.inode);
  }
  return content_hash(text);
}

}  // namespace

LintCache::LintCache(fs::path const& folder, fs::path const& root, std::string const& key)
    : key_(key) {
  if (folder.empty()) return;
  std::error_code code;
  fs::path const canonical = fs::weakly_canonical(root, code);
  file_ = folder / "lint" / (content_hash((code ? root : canonical).string()) + ".lines");
}

// The file: key, time, hash of the stamps, hash of the answer, the answer.
std::optional<std::string> LintCache::find(std::vector<provider::FoundFile> const& files) const {
  std::error_code code;
  if (file_.empty() || !fs::exists(file_, code)) return std::nullopt;
  Result<std::string> const text = read_file(file_);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  std::string heads[4];
  for (std::string& head : heads) {
    std::size_t const end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    head = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  std::optional<long long> const taken_ns = parse_integer(heads[1]);
  bool const is_usable =
      heads[0] == key_ && taken_ns && heads[3] == content_hash(rest) &&
      heads[2] == stamps_hash(files) &&
      std::none_of(files.begin(), files.end(), [&](provider::FoundFile const& file) {
        return provider::is_racy(file.stamp, *taken_ns);
      });
  if (!is_usable) return std::nullopt;
  return std::string(rest);
}

Result<void> LintCache::store(std::vector<provider::FoundFile> const& files, std::int64_t taken_ns,
                              std::string const& answer) const {
  if (file_.empty()) return {};
  Result<void> const made = make_folder(file_.parent_path());
  if (!made) return made;
  return write_file_atomic(file_, fmt::format("{}\n{}\n{}\n{}\n{}", key_, taken_ns,
                                              stamps_hash(files), content_hash(answer), answer));
}

}  // namespace zl::check
