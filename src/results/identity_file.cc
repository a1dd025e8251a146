// Where an identity record lies.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "results/identity.h"

namespace zl::results {

namespace fs = std::filesystem;

namespace {

constexpr char const* kFileName = "run_identity.json";

std::vector<std::string> runs_in(fs::path const& batch) {
  std::vector<std::string> runs;
  std::error_code code;
  for (fs::directory_entry const& entry : fs::directory_iterator(batch, code)) {
    if (fs::is_regular_file(entry.path() / kFileName, code))
      runs.push_back(entry.path().filename().string());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace

Result<fs::path> find_identity_file(fs::path const& path) {
  std::error_code code;
  if (fs::is_regular_file(path, code)) return path;
  if (fs::is_regular_file(path / kFileName, code)) return path / kFileName;
  if (!fs::is_directory(path, code)) {
    return fail(ErrorKind::usage,
                fmt::format("{}: there is no such file or folder", printable(path.string())));
  }
  std::vector<std::string> runs = runs_in(path);
  if (runs.size() == 1) return path / runs.front() / kFileName;
  if (runs.empty()) {
    return fail(
        ErrorKind::usage,
        fmt::format("{}: neither a run folder nor a batch folder with a run that has ended: "
                    "it holds no {}",
                    printable(path.string()), kFileName));
  }
  std::size_t const count = runs.size();
  if (count > 8) {
    runs.resize(8);
    runs.emplace_back("...");
  }
  return fail(
      ErrorKind::usage,
      fmt::format("{} has {} runs: name one of them, as in {}/{} ({})", printable(path.string()),
                  count, printable(path.string()), runs.front(), join(runs, ", ")));
}

}  // namespace zl::results
