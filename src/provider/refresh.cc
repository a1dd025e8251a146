#include "provider/refresh.h"

#include <fmt/format.h>
#include <unordered_map>

#include "base/files.h"
#include "provider/catalogue.h"
#include "provider/corpus_files.h"
#include "provider/index_text.h"
#include "provider/indexer.h"

namespace zl::provider {

namespace {

// Raised when the text form or the meaning of the index changes.
constexpr int kFormatVersion = 1;
constexpr std::size_t kMostParseNotes = 5;

class Refresh {
 public:
  explicit Refresh(OpenOptions const& options) : options_(options) {}

  Result<Refreshed> run() {
    load_cache();
    index().taken_ns = file_clock_ns();
    index().python = options_.python;
    return refresh_catalogue().and_then([this] { return refresh_files(); }).map([this] {
      note_parse_errors();
      if (is_changed_) store_cache();
      return std::move(result_);
    });
  }

 private:
  CorpusIndex& index() { return result_.index; }

  void load_cache() {
    if (options_.cache_folder.empty()) return;
    std::error_code code;
    fs::path const canonical = fs::weakly_canonical(options_.root, code);
    std::string const root = (code ? options_.root : canonical).string();
    key_ = fmt::format("zlbench FlagGems index {} {} {}", kFormatVersion, indexer_version(), root);
    cache_file_ = options_.cache_folder / "flaggems" / (content_hash(root) + ".index");
    if (!fs::exists(cache_file_, code)) return;
    Result<std::string> const text = read_file(cache_file_);
    if (text) {
      if (std::optional<CorpusIndex> cached = from_text(*text, key_)) {
        cached_ = std::move(*cached);
        return;
      }
    }
    result_.notes.push_back(fmt::format(
        "the index in {} was broken or of another version: built anew", cache_file_.string()));
  }

  void store_cache() {
    if (cache_file_.empty()) return;
    Result<void> const stored =
        make_folder(cache_file_.parent_path()).and_then([this]() -> Result<void> {
          return write_file_atomic(cache_file_, to_text(index(), key_));
        });
    if (!stored) {
      result_.notes.push_back(
          fmt::format("the index of the corpus was not kept, so the next call builds it again: {}",
                      stored.error().text));
    }
  }

  // May what the cache says of this file be used without reading it? Notes whether the new index,
  // once stored, would say it better.
  bool is_trusted(FileStamp const& cached, FileStamp const& now) {
    bool const is_unchanged = cached == now;
    bool const was_racy = is_racy(now, cached_.taken_ns);
    if (!is_unchanged || (was_racy && !is_racy(now, index().taken_ns))) is_changed_ = true;
    return is_unchanged && !was_racy;
  }

  Result<void> refresh_catalogue() {
    fs::path const path = options_.root / kCatalogueFile;
    std::optional<FileStamp> const stamp = stamp_of(path);
    if (!stamp) return fail(ErrorKind::environment, path.string() + ": no readable file");
    index().catalogue_stamp = *stamp;
    bool is_known = is_trusted(cached_.catalogue_stamp, *stamp);
    index().catalogue_hash = cached_.catalogue_hash;
    if (!is_known) {
      Result<std::string> const text = read_file(path);
      if (!text) return tl::unexpected<Error>(text.error());
      index().catalogue_hash = content_hash(*text);
      is_known = index().catalogue_hash == cached_.catalogue_hash;
      if (!is_known) {
        Result<std::vector<Operator>> operators = parse_catalogue(*text);
        if (!operators) return in_context(options_.root.string(), operators.error());
        index().operators = std::move(*operators);
      }
    }
    if (is_known) index().operators = std::move(cached_.operators);
    return {};
  }

  Result<void> refresh_files() {
    FoundFiles found = find_test_files(options_.root);
    std::move(found.notes.begin(), found.notes.end(), std::back_inserter(result_.notes));
    std::unordered_map<std::string_view, IndexedFile*> known;
    known.reserve(cached_.files.size());
    for (IndexedFile& file : cached_.files) known.emplace(file.path, &file);
    std::vector<std::size_t> missing;  // positions in index().files
    index().files.reserve(found.files.size());
    for (FoundFile const& file : found.files) {
      auto const entry = known.find(file.path);
      IndexedFile* const cached = entry == known.end() ? nullptr : entry->second;
      if (!add_known(file, cached)) missing.push_back(index().files.size() - 1);
    }
    return index_missing(missing);
  }

  // Adds the file to the new index; true when the cache knows its content.
  bool add_known(FoundFile const& file, IndexedFile* cached) {
    bool const is_usable = cached && (!cached->error || cached_.python == options_.python);
    if (is_usable && is_trusted(cached->stamp, file.stamp)) {
      index().files.push_back(std::move(*cached));
      return true;
    }
    is_changed_ = is_changed_ || !is_usable;
    Result<std::string> const text = read_file(options_.root / file.path);
    std::string const hash = text ? content_hash(*text) : "";
    bool const is_same = is_usable && text && hash == cached->hash;
    index().files.push_back(is_same ? std::move(*cached) : IndexedFile{});
    index().files.back().path = file.path;
    index().files.back().stamp = file.stamp;
    index().files.back().hash = hash;
    return is_same;
  }

  Result<void> index_missing(std::vector<std::size_t> const& missing) {
    if (missing.empty()) return {};
    std::vector<std::string> paths;
    for (std::size_t const position : missing) paths.push_back(index().files[position].path);
    Result<std::vector<IndexedFile>> read =
        index_files(options_.root, paths, options_.python, options_.environment);
    if (!read) return tl::unexpected<Error>(read.error());
    for (std::size_t i = 0; i < missing.size(); ++i) {
      IndexedFile& file = index().files[missing[i]];
      file.functions = std::move((*read)[i].functions);
      file.error = std::move((*read)[i].error);
      // Changed between our hash and Python's reading: good for now, but not to be kept.
      if (stamp_of(options_.root / file.path) != file.stamp) file.hash.clear();
    }
    result_.indexed_files = missing.size();
    is_changed_ = true;
    return {};
  }

  void note_parse_errors() {
    std::size_t count = 0;
    for (IndexedFile const& file : index().files) {
      if (!file.error || ++count > kMostParseNotes) continue;
      result_.notes.push_back(describe_error(file) + "; its tests are unknown");
    }
    if (count > kMostParseNotes) {
      result_.notes.push_back(fmt::format("{} more files do not parse", count - kMostParseNotes));
    }
  }

  OpenOptions const& options_;
  std::string key_;
  fs::path cache_file_;  // empty: no cache
  CorpusIndex cached_;
  Refreshed result_;
  bool is_changed_ = false;
};

}  // namespace

Result<Refreshed> refresh_index(OpenOptions const& options) {
  return Refresh(options).run();
}

}  // namespace zl::provider
