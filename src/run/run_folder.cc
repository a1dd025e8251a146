#include "run/run_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "run/parent_identity.h"

namespace zl::run {

namespace {

// Of a log that is cut: so much of its begin, and so much of its end.
constexpr std::uint64_t kKeptLogBytes = 1u << 20;

Result<Fd> fresh_file(fs::path const& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (fd.is_open()) return fd;
  return fail(ErrorKind::environment,
              fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace

Result<RunFolder> RunFolder::create(Plan const& plan, int attempt) {
  fs::path const& folder = plan.run_dir;
  Result<void> const made = make_folder(folder);
  if (!made) return tl::unexpected<Error>(made.error());
  Result<void> const written = write_file_atomic(folder / "plan.json", to_json_text(plan));
  if (!written) return tl::unexpected<Error>(written.error());
  // Moved and not truncated: what an earlier child left behind may still write into it.
  std::error_code ignored;
  fs::rename(folder / "run.log", folder / fmt::format("run.{}.log", attempt - 1), ignored);
  Result<Fd> log = fresh_file(folder / "run.log");
  if (!log) return tl::unexpected<Error>(log.error());
  Result<Fd> measurements = fresh_file(folder / "measurements.jsonl");
  if (!measurements) return tl::unexpected<Error>(measurements.error());
  Result<Fd> kernels = fresh_file(folder / "kernels.jsonl");
  if (!kernels) return tl::unexpected<Error>(kernels.error());
  return RunFolder(folder, std::move(*log), std::move(*measurements), std::move(*kernels));
}

std::uint64_t RunFolder::log_bytes() const {
  struct stat info {};
  return ::fstat(log_.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::string RunFolder::last_log_line() const {
  constexpr off_t kTail = 65536;
  auto const size = static_cast<off_t>(log_bytes());
  std::string text(static_cast<std::size_t>(std::min(size, kTail)), '\0');
  ssize_t const count =
      ::pread(log_.get(), text.data(), text.size(), std::max<off_t>(0, size - kTail));
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  std::string last;
  for (std::string const& line : split(text, '\n')) {
    std::string trimmed = trim(line);
    if (!trimmed.empty()) last = std::move(trimmed);
  }
  return to_valid_utf8(last);
}

void RunFolder::append_to_log(std::string const& text) const {
  Result<void> const ignored = write_all(log_.get(), text, "run.log");
  static_cast<void>(ignored);
}

void RunFolder::cut_log(std::uint64_t limit_bytes) const {
  std::uint64_t const size = log_bytes();
  if (size <= std::max<std::uint64_t>(limit_bytes, 2 * kKeptLogBytes)) return;
  std::string end(kKeptLogBytes, '\0');
  ssize_t const count =
      ::pread(log_.get(), end.data(), end.size(), static_cast<off_t>(size - kKeptLogBytes));
  end.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (::ftruncate(log_.get(), kKeptLogBytes) != 0) return;
  append_to_log(
      fmt::format("\n[zlbench: {} bytes are cut out here]\n{}", size - 2 * kKeptLogBytes, end));
}

Result<void> RunFolder::record(results::Event const& event, results::OpState& state) {
  if (auto const* measured = std::get_if<results::Measured>(&event)) {
    results::Case const* const in_case = state.find_case(measured->measurement.case_id);
    if (in_case == nullptr) return {};
    return write_all(measurements_.get(),
                     results::measurement_line(*in_case, measured->measurement) + "\n",
                     (folder_ / "measurements.jsonl").string());
  }
  if (auto const* seen = std::get_if<results::KernelSeen>(&event)) {
    return write_all(kernels_.get(), results::kernel_line(seen->kernel) + "\n",
                     (folder_ / "kernels.jsonl").string());
  }
  return {};
}

Result<void> RunFolder::write_identity(Plan const& plan, results::OpState const& state) {
  Json identity = parent_identity(plan, state);
  std::optional<Json> const child = parse_json(state.identity_json);
  identity["child"] = child && child->is_object() ? *child : Json::object();
  return write_file_atomic(folder_ / "run_identity.json",
                           identity.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace zl::run
