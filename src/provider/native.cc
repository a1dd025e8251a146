#include "provider/native.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace zl::provider {

namespace {

using nlohmann::json;

// The libraries to list: those given, then each folder's by name; a file that is met twice counts
// once. An explicit path is kept even if nothing is there: its child says what is wrong with it.
std::vector<fs::path> find_libraries(NativeOptions const& options) {
  std::vector<fs::path> found;
  auto const add = [&](fs::path const& path) {
    std::error_code code;
    fs::path const real = fs::weakly_canonical(path, code);
    fs::path const& kept = code ? path : real;
    if (std::find(found.begin(), found.end(), kept) == found.end()) found.push_back(kept);
  };
  for (fs::path const& path : options.libraries) add(path);
  for (fs::path const& folder : options.folders) {
    std::error_code code;
    std::vector<fs::path> files;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
      if (it->path().extension() == ".so") files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    for (fs::path const& file : files) add(file);
  }
  return found;
}

// The child's output holds its list on a line of its own; the library may have printed around it.
json find_entry(std::string const& output) {
  std::vector<std::string> const lines = split(output, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!starts_with(*line, "{")) continue;
    json const list = json::parse(*line, nullptr, false);
    if (list.is_object() && list.value("format", json()) == 1) return list.at("libraries").at(0);
  }
  throw std::runtime_error("its process printed no list");
}

NativeOperator to_operator(json const& library, json const& op) {
  NativeOperator item;
  item.name = op.at("name");
  item.description = op.at("description");
  item.library = library.at("path").get<std::string>();
  item.library_name = library.at("name");
  item.library_version = library.at("version");
  item.cases = op.at("cases").size();
  for (json const& one : op.at("cases")) {
    std::string const dtype = one.at("dtype");
    if (std::find(item.dtypes.begin(), item.dtypes.end(), dtype) == item.dtypes.end()) {
      item.dtypes.push_back(dtype);
    }
  }
  return item;
}

// What one library holds, or one line in `problems`. A library runs its own code in the child and
// may have printed anything: nothing in the output is trusted to have the right form.
NativeListing read_output(fs::path const& library, std::string const& output) {
  NativeListing listing;
  try {
    json const entry = find_entry(output);
    if (entry.contains("error")) {
      listing.problems.push_back(printable(entry.at("error").get<std::string>()));
      return listing;
    }
    for (json const& op : entry.at("operators")) {
      listing.operators.push_back(to_operator(entry, op));
    }
  } catch (std::exception const& error) {
    listing.operators.clear();
    listing.problems.push_back(fmt::format("plug-in library '{}': its list cannot be read: {}",
                                           library.string(), error.what()));
  }
  return listing;
}

// Each library in a child of its own: starting one costs some milliseconds, and a library that
// crashes or hangs takes no other's list with it.
Result<NativeListing> list_library(NativeOptions const& options, fs::path const& library) {
  SpawnRequest request;
  request.argv = {options.self.string(), "native-runner", "--list", library.string()};
  request.environment = options.environment;
  std::error_code code;
  request.working_directory = fs::current_path(code);
  if (code) request.working_directory = "/";
  auto const output = run_command(std::move(request), options.limit_s);
  if (!output) return in_context("listing native operators", output.error());
  if (!output->timed_out && output->status.code == 0) return read_output(library, output->out);
  std::string const how = output->timed_out
                              ? fmt::format("did not finish within {:g} s", options.limit_s)
                              : "ended with " + output->status.describe();
  NativeListing listing;
  listing.problems.push_back(fmt::format(
      "plug-in library '{}': the process that loaded it {}; to see more, run: {} native-runner "
      "--list {}",
      library.string(), how, shell_quote(options.self.string()), shell_quote(library.string())));
  return listing;
}

}  // namespace

Result<NativeListing> list_native(NativeOptions const& options) {
  NativeListing all;
  std::map<std::string, fs::path> owners;
  for (fs::path const& library : find_libraries(options)) {
    auto listing = list_library(options, library);
    if (!listing) return listing;
    for (std::string& problem : listing->problems) all.problems.push_back(std::move(problem));
    for (NativeOperator& item : listing->operators) {
      auto const [owner, is_new] = owners.emplace(item.name, item.library);
      if (is_new) {
        all.operators.push_back(std::move(item));
      } else {
        all.problems.push_back(fmt::format(
            "operator '{}' of '{}' is left out: '{}' has one of that name; rename one of them",
            item.name, item.library.string(), owner->second.string()));
      }
    }
  }
  return all;
}

std::vector<fs::path> default_operator_folders(fs::path const& self) {
  fs::path const here = self.parent_path();
  return {here / "lib/zlbench/operators", here.parent_path() / "lib/zlbench/operators"};
}

}  // namespace zl::provider
