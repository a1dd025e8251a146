#include "batch/batch_folder.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <random>

namespace zl::batch {

std::string new_batch_name(std::string const& backend) {
  std::random_device device;
  return fmt::format("{:%Y%m%d-%H%M%S}-{}-{:04x}", fmt::gmtime(std::time(nullptr)), backend,
                     device() & 0xffff);
}

Result<BatchPaths> create_batch(fs::path const& runs, BatchRequest const& request) {
  Result<void> const made = make_folder(runs);
  if (!made) return in_context("the folder for runs (ZL_RUNS, --runs)", made.error());
  BatchPaths paths{fs::absolute(runs) / request.name};
  std::error_code code;
  if (!fs::create_directory(paths.folder, code)) {
    std::string const why = code ? code.message() : "it exists already";
    return fail(ErrorKind::environment,
                fmt::format("cannot make the batch folder {}: {}; set ZL_RUNS or --runs to a "
                            "folder that can be written",
                            paths.folder.string(), why));
  }
  Result<void> const written = write_file_atomic(paths.request(), to_json_text(request));
  if (!written) return tl::unexpected<Error>(written.error());
  return paths;
}

Result<StoredBatch> open_batch(fs::path const& folder) {
  std::error_code code;
  fs::path root = fs::weakly_canonical(folder, code);
  if (!fs::exists(root / "batch.json", code) &&
      fs::exists(root.parent_path() / "batch.json", code)) {
    root = root.parent_path();
  }
  StoredBatch batch;
  batch.paths.folder = root;
  if (!fs::exists(batch.paths.request(), code)) {
    return fail(ErrorKind::environment,
                fmt::format("{} is not a batch folder: it has no batch.json", folder.string()));
  }
  Result<std::string> const text = read_file(batch.paths.request());
  if (!text) return tl::unexpected<Error>(text.error());
  Result<BatchRequest> request = parse_batch_request(*text, batch.paths.request().string());
  if (!request) return tl::unexpected<Error>(request.error());
  batch.request = std::move(*request);
  if (!fs::exists(batch.paths.events(), code)) return batch;
  Result<results::LogFacts> const facts = results::read_events(
      batch.paths.events(), [&](results::Event const& event) { batch.state.apply(event); });
  if (!facts) return tl::unexpected<Error>(facts.error());
  batch.log = *facts;
  return batch;
}

std::vector<provider::ProviderCase> outstanding(BatchRequest const& request,
                                                results::BatchState const& state) {
  std::vector<provider::ProviderCase> left;
  for (provider::ProviderCase const& operation : request.operations) {
    results::OpState const* const known = state.find(operation.op);
    bool const is_done =
        known != nullptr && known->result && known->result->status != results::Status::interrupted;
    if (!is_done) left.push_back(operation);
  }
  return left;
}

}  // namespace zl::batch
