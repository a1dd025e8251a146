// TEST_NODE and OP_FILE: nodes that the user named.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "provider/flaggems.h"
#include "provider/indexer.h"
#include "provider/resolver.h"

namespace zl::provider {

namespace {

tl::unexpected<Error> usage(std::string_view variable, std::string_view value,
                            std::string_view why) {
  return fail(ErrorKind::usage,
              fmt::format("{} '{}': {}", variable, to_valid_utf8(printable(value)), why));
}

bool is_inside(fs::path const& relative) {
  return !relative.empty() && *relative.begin() != ".." && relative.is_relative();
}

// `given` relative to the root, if it lies in it; an absolute path may go through links.
fs::path relative_to_root(fs::path const& root, fs::path const& given) {
  if (given.is_relative()) return given.lexically_normal();
  std::error_code code;
  fs::path const plain =
      given.lexically_normal().lexically_relative(fs::absolute(root, code).lexically_normal());
  if (is_inside(plain)) return plain;
  return fs::weakly_canonical(given, code).lexically_relative(fs::weakly_canonical(root, code));
}

// The path of a test file as a node begins with it.
Result<std::string> file_in_corpus(fs::path const& root, std::string_view variable,
                                   std::string const& value, std::string const& file) {
  if (file.find('\0') != std::string::npos || to_valid_utf8(file) != file) {
    return usage(variable, value, "the path is no text");
  }
  fs::path const relative = relative_to_root(root, file);
  if (!is_inside(relative)) {
    return usage(variable, value,
                 fmt::format("lies outside the corpus; give a path in {}", root.string()));
  }
  std::error_code code;
  fs::path const full = root / relative;
  if (fs::is_directory(full, code)) {
    return usage(
        variable, value,
        "is a folder: the child gets file::function, never a directory; name a file in it");
  }
  if (!fs::is_regular_file(full, code)) {
    return usage(variable, value, fmt::format("no such file in {}", root.string()));
  }
  if (!ends_with(relative.string(), ".py")) return usage(variable, value, "is no Python file");
  return relative.string();
}

Result<IndexedFile> read_tests(DirectRequest const& request, std::string const& path) {
  Result<std::vector<IndexedFile>> files =
      index_files(request.root, {path}, request.python, request.environment);
  if (!files) return tl::unexpected<Error>(files.error());
  return std::move(files->front());
}

// An id for a run that has none of its own: safe as a folder name.
std::string id_from(TestFunction const* function, std::string const& path) {
  if (function && !function->marks.empty()) return function->marks.front();
  std::string id(stem_of(path));
  for (char& c : id) {
    if (!is_valid_operator_id(std::string(1, c)) && c != '.') c = '_';
  }
  return is_valid_operator_id(id) ? id : "node";
}

// "file.py::A::b[x::y]" -> "A::b"
std::string function_path(std::string_view node) {
  std::string_view const rest = node.substr(node.find("::") + 2);
  return std::string(rest.substr(0, rest.find('[')));
}

Result<DirectNodes> from_test_node(DirectRequest const& request) {
  constexpr std::string_view kVariable = "TEST_NODE";
  std::string const& node = request.test_node;
  std::size_t const cut = node.find("::");
  Result<std::string> const path =
      file_in_corpus(request.root, kVariable, node, node.substr(0, cut));
  if (!path) return tl::unexpected<Error>(path.error());
  std::string const wanted = cut == std::string::npos ? "" : function_path(node);
  if (wanted.empty()) {
    return usage(kVariable, node, "names no function; write file.py::function, or use OP_FILE");
  }
  Result<IndexedFile> const file = read_tests(request, *path);
  if (!file) return tl::unexpected<Error>(file.error());
  DirectNodes direct{request.op, {*path + node.substr(cut)}, {}};
  std::vector<std::string> names;
  TestFunction const* found = nullptr;
  for (TestFunction const& function : file->functions) {
    names.push_back(function.name);
    if (function.name == wanted) found = &function;
  }
  if (file->error) {
    direct.notes.push_back(describe_error(*file));
  } else if (!found) {
    return usage(
        kVariable, node,
        fmt::format("no test function '{}' in {}.{}", wanted, *path, did_you_mean(wanted, names)));
  }
  if (direct.op.empty()) direct.op = id_from(found, *path);
  return direct;
}

bool is_test_of(TestFunction const& function, std::string const& op) {
  auto const carries = [&](std::string const& mark) {
    return std::find(function.marks.begin(), function.marks.end(), mark) != function.marks.end();
  };
  return carries(op) ||
         (starts_with(op, "_") && (carries("underscore" + op) || carries(op.substr(1))));
}

Result<DirectNodes> from_op_file(DirectRequest const& request) {
  constexpr std::string_view kVariable = "OP_FILE";
  Result<std::string> const path =
      file_in_corpus(request.root, kVariable, request.op_file, request.op_file);
  if (!path) return tl::unexpected<Error>(path.error());
  Result<IndexedFile> const file = read_tests(request, *path);
  if (!file) return tl::unexpected<Error>(file.error());
  if (file->error) return usage(kVariable, request.op_file, describe_error(*file));
  DirectNodes direct{request.op, {}, {}};
  std::vector<std::string> marks;
  for (TestFunction const& function : file->functions) {
    marks.insert(marks.end(), function.marks.begin(), function.marks.end());
    if (!request.op.empty() && !is_test_of(function, request.op)) continue;
    if (direct.op.empty()) direct.op = id_from(&function, *path);
    direct.nodes.push_back(*path + "::" + function.name);
  }
  if (!direct.nodes.empty()) return direct;
  if (file->functions.empty()) {
    return fail(ErrorKind::nothing_selected, fmt::format("{} has no test function", *path));
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return fail(ErrorKind::nothing_selected,
              fmt::format("no function of {} has the mark '{}'; its marks are: {}", *path,
                          request.op, marks.empty() ? "none" : join(marks, ", ")));
}

}  // namespace

Result<DirectNodes> resolve_direct(DirectRequest const& request) {
  if (!request.op.empty() && !is_valid_operator_id(request.op)) {
    return usage("operator", request.op, "an id has only letters, digits, '_', '.' and '-'");
  }
  Result<void> const checked = check_corpus(request.root);
  if (!checked) return tl::unexpected<Error>(checked.error());
  if (!request.test_node.empty()) return from_test_node(request);
  if (!request.op_file.empty()) return from_op_file(request);
  return fail(ErrorKind::usage, "neither TEST_NODE nor OP_FILE is given");
}

}  // namespace zl::provider
