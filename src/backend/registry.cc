#include "backend/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <system_error>

#include "base/embedded.h"
#include "base/files.h"
#include "base/text.h"

namespace zl::backend {

namespace {

Result<std::vector<fs::path>> descriptor_files(fs::path const& folder) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  if (code) {
    return fail(ErrorKind::usage,
                fmt::format("cannot read the descriptor folder {}: {}; set --backend-dir or "
                            "ZL_BACKEND_DIR to a folder with *.yaml files",
                            folder.string(), code.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void add_or_replace(std::vector<Descriptor>& all, Descriptor descriptor) {
  auto const same = [&](Descriptor const& other) { return other.name == descriptor.name; };
  auto const found = std::find_if(all.begin(), all.end(), same);
  if (found == all.end()) {
    all.push_back(std::move(descriptor));
  } else {
    *found = std::move(descriptor);
  }
}

// Two files of one folder with the same name: neither overrides the other.
Result<void> add_folder(std::vector<Descriptor>& all, fs::path const& folder) {
  auto const files = descriptor_files(folder);
  if (!files) return tl::unexpected(files.error());
  std::map<std::string, std::string> origin_of;
  for (fs::path const& file : *files) {
    auto const text = read_file(file);
    if (!text) return in_context("reading a backend descriptor", text.error());
    auto descriptor = parse_descriptor(*text, file.string());
    if (!descriptor) return tl::unexpected(descriptor.error());
    auto const [known, is_new] = origin_of.emplace(descriptor->name, descriptor->origin);
    if (!is_new) {
      return fail(ErrorKind::usage,
                  fmt::format("backend '{}' is defined by {} and by {}; keep one", descriptor->name,
                              known->second, descriptor->origin));
    }
    add_or_replace(all, std::move(*descriptor));
  }
  return {};
}

Result<void> check_words(std::vector<Descriptor> const& all) {
  std::map<std::string, Descriptor const*> owner;
  for (Descriptor const& descriptor : all) {
    std::vector<std::string> words = descriptor.aliases;
    words.push_back(descriptor.name);
    for (std::string const& word : words) {
      auto const [known, is_new] = owner.emplace(word, &descriptor);
      if (is_new) continue;
      if (known->second == &descriptor) {
        return fail(ErrorKind::usage,
                    fmt::format("{}: field 'aliases': '{}' is given twice or is the name itself",
                                descriptor.origin, word));
      }
      return fail(ErrorKind::usage,
                  fmt::format("'{}' is a name or alias of backend '{}' ({}) and of backend '{}' "
                              "({}); remove it from one of them",
                              word, known->second->name, known->second->origin, descriptor.name,
                              descriptor.origin));
    }
  }
  return {};
}

}  // namespace

Result<Registry> Registry::load(std::vector<fs::path> const& extra_dirs) {
  Registry result;
  for (EmbeddedFile const& file : embedded::descriptors()) {
    auto descriptor = parse_descriptor(file.text, fmt::format("built-in {}", file.name));
    if (!descriptor) return tl::unexpected(descriptor.error());
    add_or_replace(result.descriptors_, std::move(*descriptor));
  }
  for (fs::path const& folder : extra_dirs) {
    auto const added = add_folder(result.descriptors_, folder);
    if (!added) return tl::unexpected(added.error());
  }
  auto const checked = check_words(result.descriptors_);
  if (!checked) return tl::unexpected(checked.error());
  return result;
}

Result<Descriptor const*> Registry::find(std::string_view name) const {
  std::string const wanted = to_lower(trim(name));
  std::vector<std::string> words;
  for (Descriptor const& descriptor : descriptors_) {
    words.push_back(descriptor.name);
    words.insert(words.end(), descriptor.aliases.begin(), descriptor.aliases.end());
    if (std::find(words.begin(), words.end(), wanted) != words.end()) return &descriptor;
  }
  return fail(ErrorKind::usage, fmt::format("unknown backend '{}'; known: {}.{}", printable(wanted),
                                            join(names(), ", "), did_you_mean(wanted, words)));
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> result;
  for (Descriptor const& descriptor : descriptors_) result.push_back(descriptor.name);
  return result;
}

std::vector<std::string> Registry::vendors() const {
  std::set<std::string> result;
  for (Descriptor const& descriptor : descriptors_) {
    if (!descriptor.vendor.empty()) result.insert(descriptor.vendor);
  }
  return {result.begin(), result.end()};
}

}  // namespace zl::backend
