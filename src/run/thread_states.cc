#include "run/thread_states.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace zl::run {

namespace {

std::string field_of(std::string const& status, std::string const& name) {
  for (std::string const& line : split(status, '\n')) {
    if (starts_with(line, name + ":")) return trim(line.substr(name.size() + 1));
  }
  return "?";
}

std::string word_of(fs::path const& file) {
  Result<std::string> const text = read_file(file);
  std::string const word = text ? trim(*text) : "";
  return word.empty() || word == "0" ? "-" : word;
}

}  // namespace

std::string thread_states(pid_t pid) {
  std::string text = fmt::format("\n[zlbench: threads of process {} as it is ended]\n", pid);
  std::error_code code;
  fs::path const tasks = fmt::format("/proc/{}/task", pid);
  for (fs::directory_iterator one(tasks, code), end; !code && one != end; one.increment(code)) {
    Result<std::string> const status = read_file(one->path() / "status");
    if (!status) continue;  // it has just ended
    text += fmt::format("  {} {}: {}, in {}\n", one->path().filename().string(),
                        printable(field_of(*status, "Name"), 40), field_of(*status, "State"),
                        printable(word_of(one->path() / "wchan"), 80));
  }
  return text;
}

}  // namespace zl::run
