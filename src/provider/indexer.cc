#include "provider/indexer.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>

#include "base/embedded.h"
#include "base/fd.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "base/text.h"

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

// A file without a name that holds the request; it needs no folder and leaves nothing behind.
Result<Fd> request_fd(std::vector<std::string> const& paths) {
  json const request{{"root", "."}, {"files", paths}};
  std::string const text = request.dump(-1, ' ', false, json::error_handler_t::replace);
  Fd fd(::memfd_create("zlbench-index-request", MFD_CLOEXEC));
  if (!fd.is_open()) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make an anonymous file: {}", std::strerror(errno)));
  }
  Result<void> const written = write_all(fd.get(), text, "the indexer's request");
  if (!written) return tl::unexpected<Error>(written.error());
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

// The last line that says something: Python ends a traceback with the reason.
std::string last_line(std::string const& text) {
  std::string last = "it printed nothing";
  for (std::string const& line : split(text, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return printable(last);
}

tl::unexpected<Error> python_failed(std::string const& python, std::string const& why) {
  return fail(ErrorKind::environment,
              fmt::format("cannot read the corpus' test files with '{}': {}; name a Python 3.8 or "
                          "newer that starts",
                          python, why));
}

// A path stays valid when the helper starts in the corpus' folder; a name is looked up in PATH.
std::string program_for(std::string const& python) {
  if (python.find('/') == std::string::npos) return python;
  std::error_code code;
  fs::path const absolute = fs::absolute(python, code);
  return code ? python : absolute.string();
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
  Result<Fd> const request = request_fd(paths);
  if (!request) return tl::unexpected<Error>(request.error());
  SpawnRequest spawn;
  spawn.argv = {
      program_for(python), "-I", "-S", "-c", helper_text(), std::to_string(kChildChannelFd)};
  spawn.environment = environment;
  spawn.working_directory = root;
  spawn.channel_fd = request->get();
  Result<CommandOutput> const output = run_command(std::move(spawn), kLimit_s);
  if (!output) return python_failed(python, output.error().text);
  if (output->timed_out) return python_failed(python, fmt::format("no end within {} s", kLimit_s));
  if (output->status.code != 0) {
    return python_failed(python, output->status.describe() + ", " + last_line(output->out));
  }
  Result<std::unordered_map<std::string, IndexedFile>> answers = read_answers(output->out);
  if (!answers) return python_failed(python, answers.error().text);
  std::vector<IndexedFile> files;
  for (std::string const& path : paths) {
    auto const found = answers->find(path);
    if (found == answers->end()) {
      return python_failed(python,
                           fmt::format("no answer for {} ({})", path, last_line(output->out)));
    }
    files.push_back(std::move(found->second));
  }
  return files;
}

std::string indexer_version() {
  return content_hash(helper_text());
}

}  // namespace zl::provider
