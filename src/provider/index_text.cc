#include "provider/index_text.h"

#include <charconv>
#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace zl::provider {

namespace {

constexpr char kItemEnd = '\x1f';  // after each item of a list within a field
constexpr std::string_view kEnd = "end\t";

// A text as one field: what would end a field, a list item or a line becomes a blank.
std::string field(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return result;
}

std::string list_field(std::vector<std::string> const& items) {
  std::string result;
  for (std::string const& item : items) {
    result += field(item);
    result += kItemEnd;
  }
  return result;
}

std::string stamp_fields(FileStamp const& stamp) {
  return fmt::format("{}\t{}\t{}\t{}", stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode);
}

// Takes tab-separated fields off the front of one line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  std::string_view next() {
    std::size_t const end = std::min(rest_.find('\t'), rest_.size());
    std::string_view const part = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return part;
  }

  std::string text() { return std::string(next()); }

  template <class Number>
  Number number() {
    std::string_view const part = next();
    Number value{};
    std::from_chars(part.data(), part.data() + part.size(), value);
    return value;
  }

  std::vector<std::string> list() {
    std::string_view part = next();
    std::vector<std::string> items;
    while (!part.empty()) {
      std::size_t const end = std::min(part.find(kItemEnd), part.size());
      items.emplace_back(part.substr(0, end));
      part.remove_prefix(std::min(end + 1, part.size()));
    }
    return items;
  }

  FileStamp stamp() {
    FileStamp stamp;
    stamp.size = number<std::uint64_t>();
    stamp.mtime_ns = number<std::int64_t>();
    stamp.ctime_ns = number<std::int64_t>();
    stamp.inode = number<std::uint64_t>();
    return stamp;
  }

 private:
  std::string_view rest_;
};

void read_line(Line line, CorpusIndex& index) {
  std::string_view const kind = line.next();
  if (kind == "function" && !index.files.empty()) {
    TestFunction& function = index.files.back().functions.emplace_back();
    function.line = line.number<int>();
    function.name = line.text();
    function.marks = line.list();
    function.op_names = line.list();
  } else if (kind == "file") {
    IndexedFile& file = index.files.emplace_back();
    file.path = line.text();
    file.stamp = line.stamp();
    file.hash = line.text();
  } else if (kind == "operator") {
    Operator& op = index.operators.emplace_back();
    op.id = line.text();
    op.stage = line.text();
    op.aliases = line.list();
  } else if (kind == "error" && !index.files.empty()) {
    ParseError& error = index.files.back().error.emplace();
    error.line = line.number<int>();
    error.message = line.text();
  } else if (kind == "taken") {
    index.taken_ns = line.number<std::int64_t>();
    index.python = line.text();
  } else if (kind == "catalogue") {
    index.catalogue_stamp = line.stamp();
    index.catalogue_hash = line.text();
  }
}

// The lines between the key and the end, if key and checksum are right.
std::optional<std::string_view> checked_body(std::string_view text, std::string_view key) {
  std::size_t const end = text.rfind(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view const body = text.substr(0, end);
  if (text.substr(end) != fmt::format("{}{}\n", kEnd, content_hash(body))) return std::nullopt;
  std::string const first = field(key) + "\n";
  if (!starts_with(body, first)) return std::nullopt;
  return body.substr(first.size());
}

}  // namespace

std::string to_text(CorpusIndex const& index, std::string_view key) {
  std::string text = field(key) + "\n";
  auto const out = std::back_inserter(text);
  fmt::format_to(out, "taken\t{}\t{}\n", index.taken_ns, field(index.python));
  fmt::format_to(out, "catalogue\t{}\t{}\n", stamp_fields(index.catalogue_stamp),
                 index.catalogue_hash);
  for (Operator const& op : index.operators) {
    fmt::format_to(out, "operator\t{}\t{}\t{}\n", field(op.id), field(op.stage),
                   list_field(op.aliases));
  }
  for (IndexedFile const& file : index.files) {
    fmt::format_to(out, "file\t{}\t{}\t{}\n", file.path, stamp_fields(file.stamp), file.hash);
    if (file.error) {
      fmt::format_to(out, "error\t{}\t{}\n", file.error->line, field(file.error->message));
    }
    for (TestFunction const& function : file.functions) {
      fmt::format_to(out, "function\t{}\t{}\t{}\t{}\n", function.line, function.name,
                     list_field(function.marks), list_field(function.op_names));
    }
  }
  return text + std::string(kEnd) + content_hash(text) + "\n";
}

std::optional<CorpusIndex> from_text(std::string_view text, std::string_view key) {
  std::optional<std::string_view> body = checked_body(text, key);
  if (!body) return std::nullopt;
  CorpusIndex index;
  index.files.reserve(2048);
  index.operators.reserve(2048);
  while (!body->empty()) {
    std::size_t const end = std::min(body->find('\n'), body->size());
    read_line(Line(body->substr(0, end)), index);
    body->remove_prefix(std::min(end + 1, body->size()));
  }
  return index;
}

}  // namespace zl::provider
