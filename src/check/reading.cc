#include "check/reading.h"

#include <cstdlib>
#include <system_error>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/text.h"

namespace zl::check {

namespace {

constexpr std::size_t kSlots = 1u << 16;
constexpr std::size_t kLeastBlock = 64;  // bytes of lines that are held against the rules at once
constexpr std::size_t kLargestBlock = 4096;
constexpr std::size_t kRoles = 5;
constexpr std::uint8_t kMostHits = 8;  // of one pattern in one role: the first ones count
constexpr std::size_t kLongestText = 600;

// "Tried to allocate 12.50 GiB" in bytes; 0 where there is none.
double asked_bytes(std::string_view text) {
  constexpr std::string_view kWords = "ried to allocate ";
  std::size_t const at = text.find(kWords);
  if (at == std::string_view::npos) return 0;
  std::string const rest(text.substr(at + kWords.size(), 40));
  char* unit = nullptr;
  double const number = std::strtod(rest.c_str(), &unit);
  while (*unit == ' ') ++unit;
  double const scale = *unit == 'G'   ? 1024.0 * 1024 * 1024
                       : *unit == 'M' ? 1024.0 * 1024
                       : *unit == 'K' ? 1024.0
                                      : 1;
  return number > 0 ? number * scale : 0;
}

}  // namespace

Reader::Reader(RuleBook const& book, std::string name)
    : book_(book), seen_(kSlots, 0), taken_(book.patterns().size() * kRoles, 0) {
  reading_.name = std::move(name);
}

void Reader::take(LogLine const& line) {
  take(line, tracker_.feed(line));
}

void Reader::take(LogLine const& line, LineContext const& context) {
  std::uint64_t const hash = XXH3_64bits(line.text.data(), line.text.size()) | 1;
  std::uint64_t& slot = seen_[hash >> 48];
  if (slot == hash) {
    count_repeat(hash);
    return;
  }
  slot = hash;
  waiting_.push_back({context, line.number, block_.size(), line.text.size(), hash, 0});
  block_.append(line.text);
  block_ += '\n';
  if (block_.size() >= block_limit_) look_at_block();
}

void Reader::count_repeat(std::uint64_t hash) {
  for (Waiting& line : waiting_) {
    if (line.hash != hash) continue;
    ++line.repeats;
    return;
  }
  if (hits_of_.empty()) return;
  auto const known = hits_of_.find(hash);
  if (known == hits_of_.end()) return;
  for (std::size_t const index : known->second) ++reading_.hits[index].repeats;
}

// A block with a hit was asked in vain: blocks shrink to a line where many lines meet a rule, and
// grow where few do.
void Reader::look_at_block() {
  bool const is_any = book_.matches_any(block_);
  block_limit_ =
      is_any ? std::max(kLeastBlock, block_limit_ / 4) : std::min(kLargestBlock, block_limit_ * 2);
  bool const is_one = waiting_.size() == 1;
  for (Waiting const& line : waiting_) {
    std::string_view const text = std::string_view(block_).substr(line.begin, line.size);
    if (is_any && (is_one || book_.matches_any(text))) match(line, text);
  }
  waiting_.clear();
  block_.clear();
}

void Reader::match(Waiting const& line, std::string_view text) {
  book_.match(text, found_);
  if (found_.empty()) return;
  reading_.largest_ask_bytes = std::max(reading_.largest_ask_bytes, asked_bytes(text));
  for (int const pattern : found_) {
    auto const index = static_cast<std::size_t>(pattern);
    std::uint8_t& taken = taken_[index * kRoles + static_cast<std::size_t>(line.context.role)];
    if (taken >= kMostHits) continue;
    ++taken;
    hits_of_[line.hash].push_back(reading_.hits.size());
    reading_.hits.push_back(
        {index, line.number, printable(trim(text), kLongestText), line.context, line.repeats});
  }
}

int Reader::add_failure(Failure failure) {
  known_failures_.push_back(std::move(failure));
  return static_cast<int>(known_failures_.size()) - 1;
}

Reading Reader::finish(LogSummary summary) {
  look_at_block();
  reading_.summary = std::move(summary);
  reading_.shape = tracker_.finish();
  if (!known_failures_.empty()) {
    reading_.shape.failures_seen = known_failures_.size();
    reading_.shape.failures = std::move(known_failures_);
  }
  return std::move(reading_);
}

Result<Reading> read_log_file(RuleBook const& book, std::filesystem::path const& path,
                              std::string name) {
  Reader reader(book, name);
  std::error_code code;
  if (!std::filesystem::exists(path, code)) {
    Reading missing = reader.finish({});
    missing.is_missing = true;
    return missing;
  }
  Result<LogSummary> summary = read_log(path, [&](LogLine const& line) { reader.take(line); });
  if (!summary) return tl::unexpected<Error>(summary.error());
  return reader.finish(std::move(*summary));
}

Reading read_text(RuleBook const& book, std::string_view text, std::string name) {
  Reader reader(book, std::move(name));
  LineReader lines([&](LogLine const& line) { reader.take(line); });
  lines.feed(text);
  return reader.finish(lines.finish());
}

}  // namespace zl::check
