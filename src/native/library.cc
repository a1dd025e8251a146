#include "native/library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <set>
#include <system_error>

#include "base/text.h"

namespace zl::native {

namespace {

constexpr char kEntryName[] = "zlbench_operators";
// More than this is a count that was never set, not a corpus.
constexpr std::uint32_t kMaxCount = 100'000;
// Names become folder names and columns.
constexpr std::size_t kMaxNameBytes = 128;

constexpr std::array<char const*, 10> kDtypeNames = {nullptr, "f64", "f32", "f16", "bf16",
                                                     "s64",   "s32", "s16", "s8",  "u8"};

// What is wrong, or an empty text. `what` says whose name it is.
std::string check_name(char const* name, std::string const& what) {
  if (name == nullptr) return what + " has no name (null)";
  std::string const text(name);
  auto const is_fine = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  if (text.empty() || text.size() > kMaxNameBytes ||
      !std::all_of(text.begin(), text.end(), is_fine) || text == "." || text == "..") {
    return fmt::format("{} is named '{}': use 1 to {} of the characters A-Z a-z 0-9 _ . -", what,
                       printable(text, 60), kMaxNameBytes);
  }
  return {};
}

std::string check_count(std::uint32_t count, std::string const& what) {
  if (count >= 1 && count <= kMaxCount) return {};
  return fmt::format("{} is {}, allowed are 1 to {}", what, count, kMaxCount);
}

std::string text_or_empty(char const* text) {
  return text == nullptr ? std::string() : to_valid_utf8(text);
}

// Copies one entry of a table whose entries are `stride` bytes long: a plug-in made with a later
// header has longer ones, whose tail this program does not know.
template <class Entry>
Entry entry_at(Entry const* table, std::uint32_t index, std::uint32_t stride) {
  Entry entry;
  std::memcpy(&entry, reinterpret_cast<char const*>(table) + std::size_t{index} * stride,
              sizeof(Entry));
  return entry;
}

std::string take_case(zlbench_case const& from, std::string const& where, Case& to) {
  if (auto wrong = check_name(from.name, where); !wrong.empty()) return wrong;
  to.name = from.name;
  std::string const what = fmt::format("{} ('{}')", where, to.name);
  if (from.dtype == 0 || from.dtype >= kDtypeNames.size()) {
    return fmt::format("{} has dtype {}, known are 1 to {}", what, from.dtype,
                       kDtypeNames.size() - 1);
  }
  to.dtype = kDtypeNames[from.dtype];
  if (from.rank > ZLBENCH_MAX_RANK) {
    return fmt::format("{} has rank {}, allowed are 0 to {}", what, from.rank, ZLBENCH_MAX_RANK);
  }
  if (from.rank > 0 && from.dims == nullptr) {
    return fmt::format("{} has rank {} and no dims (null)", what, from.rank);
  }
  to.dims.assign(from.dims, from.dims + from.rank);
  for (std::int64_t const size : to.dims) {
    if (size <= 0) return fmt::format("{} has the size {}, sizes are above 0", what, size);
  }
  for (double const amount : {from.flops, from.bytes}) {
    if (!std::isfinite(amount) || amount < 0) {
      return fmt::format("{} has flops or bytes of {}, use 0 for unknown", what, amount);
    }
  }
  to.flops = from.flops;
  to.bytes = from.bytes;
  to.shape_text = text_or_empty(from.shape_text);
  if (to.shape_text.empty()) to.shape_text = fmt::format("{}", fmt::join(to.dims, "x"));
  return {};
}

std::string check_functions(zlbench_operator const& from, std::string const& what) {
  struct {
    char const* name;
    bool is_null;
  } const functions[] = {{"create", from.create == nullptr},
                         {"baseline", from.baseline == nullptr},
                         {"candidate", from.candidate == nullptr},
                         {"check", from.check == nullptr},
                         {"destroy", from.destroy == nullptr}};
  for (auto const& function : functions) {
    if (function.is_null) return fmt::format("{} has no {} function (null)", what, function.name);
  }
  return {};
}

std::string take_operator(zlbench_operator const& from, std::string const& where,
                          std::uint32_t case_size, Operator& to) {
  if (auto wrong = check_name(from.name, where); !wrong.empty()) return wrong;
  to.name = from.name;
  to.description = text_or_empty(from.description);
  to.functions = from;
  std::string const what = fmt::format("operator '{}'", to.name);
  if (auto wrong = check_functions(from, what); !wrong.empty()) return wrong;
  if (auto wrong = check_count(from.case_count, what + ": case_count"); !wrong.empty()) {
    return wrong;
  }
  if (from.cases == nullptr) return what + " has no cases (null)";
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < from.case_count; ++i) {
    Case& taken = to.cases.emplace_back();
    taken.index = i;
    std::string const where_case = fmt::format("{}, case {}", what, i);
    auto wrong = take_case(entry_at(from.cases, i, case_size), where_case, taken);
    if (!wrong.empty()) return wrong;
    if (!names.insert(taken.name).second) {
      return fmt::format("{} has two cases named '{}'", what, taken.name);
    }
  }
  return {};
}

// The header comes first: nothing behind it can be read before its version and sizes are known.
std::string check_header(zlbench_library const& table) {
  if (table.abi_version != ZLBENCH_ABI_VERSION) {
    return fmt::format(
        "it has ABI version {}, this program has {}: build it with this program's "
        "zlbench/operator.h",
        table.abi_version, ZLBENCH_ABI_VERSION);
  }
  struct {
    char const* name;
    std::uint32_t is;
    std::size_t at_least;
    std::size_t alignment;
  } const sizes[] = {
      {"struct_size", table.struct_size, sizeof(zlbench_library), alignof(zlbench_library)},
      {"operator_size", table.operator_size, sizeof(zlbench_operator), alignof(zlbench_operator)},
      {"case_size", table.case_size, sizeof(zlbench_case), alignof(zlbench_case)}};
  constexpr std::uint32_t kMaxStructSize = 4096;
  for (auto const& size : sizes) {
    if (size.is < size.at_least || size.is > kMaxStructSize || size.is % size.alignment != 0) {
      return fmt::format(
          "its {} is {}, ABI version {} starts at {}: begin the table with "
          "ZLBENCH_LIBRARY_HEADER",
          size.name, size.is, ZLBENCH_ABI_VERSION, size.at_least);
    }
  }
  return {};
}

}  // namespace

double Case::elements() const {
  double product = 1;
  for (std::int64_t const size : dims) product *= static_cast<double>(size);
  return product;
}

void Library::Unload::operator()(void* handle) const {
  // The program goes on or ends whether or not the code could be unloaded.
  static_cast<void>(::dlclose(handle));
}

std::string Library::take_table(zlbench_library const* table) {
  if (table == nullptr) return fmt::format("{}() returned null", kEntryName);
  if (auto wrong = check_header(*table); !wrong.empty()) return wrong;
  if (auto wrong = check_name(table->name, "the library"); !wrong.empty()) return wrong;
  if (table->version == nullptr) return "it has no version (null)";
  if (auto wrong = check_count(table->operator_count, "operator_count"); !wrong.empty()) {
    return wrong;
  }
  if (table->operators == nullptr) return "it has no operators (null)";
  name_ = table->name;
  version_ = text_or_empty(table->version);
  note_ = text_or_empty(table->provider_note);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < table->operator_count; ++i) {
    Operator& taken = operators_.emplace_back();
    auto wrong = take_operator(entry_at(table->operators, i, table->operator_size),
                               fmt::format("operator {}", i), table->case_size, taken);
    if (!wrong.empty()) return wrong;
    if (!names.insert(taken.name).second) {
      return fmt::format("it has two operators named '{}'", taken.name);
    }
  }
  return {};
}

Result<Library> Library::load(std::filesystem::path const& path) {
  std::string const where = fmt::format("plug-in library '{}'", path.string());
  auto const refuse = [&](std::string const& why) {
    return fail(ErrorKind::usage, where + ": " + why);
  };
  // A name without a slash would be looked up in the system's library folders instead.
  std::error_code code;
  std::string const file = std::filesystem::absolute(path, code).string();
  if (code) return refuse("the path cannot be made absolute: " + code.message());
  Library library;
  // RTLD_NOW: a symbol that is missing is an error here and not a death in the middle of a run.
  library.handle_.reset(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library.handle_) return refuse(fmt::format("cannot be loaded: {}", ::dlerror()));
  void* const symbol = ::dlsym(library.handle_.get(), kEntryName);
  if (symbol == nullptr) {
    return refuse(fmt::format("does not export {}(): see docs/native-operators.md", kEntryName));
  }
  auto const entry = reinterpret_cast<decltype(&zlbench_operators)>(symbol);
  if (auto const wrong = library.take_table(entry()); !wrong.empty()) return refuse(wrong);
  return library;
}

Operator const* Library::find(std::string_view operator_name) const {
  for (Operator const& candidate : operators_) {
    if (candidate.name == operator_name) return &candidate;
  }
  return nullptr;
}

}  // namespace zl::native
