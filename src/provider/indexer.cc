#include "provider/indexer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/embedded.h"
#include "base/files.h"
#include "base/text.h"
#include "provider/python_helper.h"

namespace zl::provider {

namespace {

using nlohmann::json;

constexpr double kLimit_s = 120;  // 1,400 files take about one second

std::string const& helper_text() {
  static std::string const text = [] {
    for (EmbeddedFile const& file : embedded::python_indexer()) {
      if (file.name == "index_corpus.py") return std::string(file.text);
    }
    ZL_CHECK(false, "the indexer is compiled in");
    return std::string();
  }();
  return text;
}

PythonHelper helper() {
  return {"read the corpus' test files", helper_text(), kLimit_s};
}

IndexedFile file_from(json const& answer) {
  IndexedFile file;
  file.path = answer.at("file").get<std::string>();
  if (answer.contains("error")) {
    json const& error = answer.at("error");
    file.error =
        ParseError{error.at("line").get<int>(), printable(error.at("message").get<std::string>())};
    return file;
  }
  for (json const& entry : answer.at("functions")) {
    std::string const owner = entry.at("class").get<std::string>();
    std::string const name = entry.at("name").get<std::string>();
    file.functions.push_back({owner.empty() ? name : owner + "::" + name,
                              entry.at("line").get<int>(),
                              entry.at("marks").get<std::vector<std::string>>(),
                              entry.at("op_names").get<std::vector<std::string>>()});
  }
  return file;
}

// Lines that are no answer (a site's start-up chatter) are passed over; a broken answer is a
// failure.
Result<std::unordered_map<std::string, IndexedFile>> read_answers(std::string const& out) try {
  std::unordered_map<std::string, IndexedFile> files;
  std::string_view rest = out;
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find('\n'), rest.size());
    std::string_view const line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!starts_with(line, "{\"file\"")) continue;
    IndexedFile file = file_from(json::parse(line));
    std::string path = file.path;
    files.insert_or_assign(std::move(path), std::move(file));
  }
  return files;
} catch (json::exception const& error) {
  return fail(ErrorKind::environment, fmt::format("it answered no JSON ({})", error.what()));
}

}  // namespace

Result<std::vector<IndexedFile>> index_files(fs::path const& root,
                                             std::vector<std::string> const& paths,
                                             std::string const& python,
                                             Environment const& environment) {
  json const request{{"root", "."}, {"files", paths}};
  Result<std::string> const out =
      run_python(helper(), request.dump(-1, ' ', false, json::error_handler_t::replace), root,
                 python, environment);
  if (!out) return tl::unexpected<Error>(out.error());
  Result<std::unordered_map<std::string, IndexedFile>> answers = read_answers(*out);
  if (!answers) return python_failed(helper(), python, answers.error().text);
  std::vector<IndexedFile> files;
  for (std::string const& path : paths) {
    auto const found = answers->find(path);
    if (found == answers->end()) {
      return python_failed(helper(), python,
                           fmt::format("no answer for {} ({})", path, last_line(*out)));
    }
    files.push_back(std::move(found->second));
  }
  return files;
}

std::string indexer_version() {
  return content_hash(helper_text());
}

}  // namespace zl::provider
