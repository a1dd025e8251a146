#include "check/run_evidence.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#include "base/files.h"
#include "base/json.h"
#include "results/event.h"

namespace zl::check {

namespace {

using results::Case;
using results::CaseStatus;
using results::Status;

// Operators that fail only where the stack does.
constexpr std::string_view kTrivial[] = {"abs", "add", "neg", "mul", "sub", "exp", "relu", "sin"};

// A sentence that zlbench itself made of an end says nothing about its cause.
constexpr std::string_view kOwnWords[] = {"pytest: ", "ended with ", "the child ended",
                                          "ended without an error"};

bool is_trivial(std::string_view op) {
  return std::find(std::begin(kTrivial), std::end(kTrivial), op) != std::end(kTrivial);
}

// A skip's reason reads as in pytest's summary, where the rules look for it.
std::string as_pytest_says(results::OpResult const& result) {
  return result.status == Status::skipped ? "SKIPPED: " + result.reason : result.reason;
}

// Follows the events of one operator, with their lines.
class EventReader {
 public:
  EventReader(RuleBook const& book, std::string op) : reader_(book, "events.jsonl"), op_(op) {}

  void take(std::string_view line, std::size_t number) {
    if (line.find(fmt::format("\"op\":{}", to_line(Json(op_)))) == std::string_view::npos) return;
    Result<results::Event> const event = results::parse_event(line);
    if (!event) return;
    state_.apply(*event);
    if (std::holds_alternative<results::RunBegun>(*event)) lines_.clear();
    if (auto const* ended = std::get_if<results::CaseEnded>(&*event)) {
      bool const says_why =
          ended->status == CaseStatus::failed && !starts_with(ended->error, "the child ended");
      if (says_why && lines_.size() < LogShape::kMostFailures)
        lines_.push_back({number, ended->error});
    }
    if (auto const* noted = std::get_if<results::Noted>(&*event)) {
      constexpr std::string_view kLoaded = "loaded=";
      std::size_t const at = noted->text.find(kLoaded);
      if (noted->code == "FOREIGN_VENDOR_MODULE" && at != std::string::npos)
        foreign_ = split(trim(noted->text.substr(at + kLoaded.size())), ',');
    }
    if (std::holds_alternative<results::RunEnded>(*event)) ended_line_ = number;
  }

  results::OpState const* state() const { return state_.find(op_); }
  std::vector<std::string> const& foreign() const { return foreign_; }

  // The errors of the failed cases; without one, the reason of the end.
  Reading finish(results::OpResult const* result) {
    bool const is_own_words =
        result == nullptr ||
        std::any_of(std::begin(kOwnWords), std::end(kOwnWords),
                    [&](std::string_view words) { return starts_with(result->reason, words); });
    bool const is_ended_by_us =
        result != nullptr &&
        (result->signal.has_value() || result->status == Status::timeout ||
         result->status == Status::log_overflow || result->status == Status::protocol_error);
    if (lines_.empty() && !is_own_words && !is_ended_by_us && !result->reason.empty())
      lines_.push_back({ended_line_, as_pytest_says(*result)});
    for (auto const& [number, text] : lines_) add(number, text);
    return reader_.finish({});
  }

 private:
  // "first cause; then last exception".
  void add(std::size_t number, std::string const& text) {
    Failure failure;
    failure.is_block = true;
    failure.line = number;
    std::size_t const then = text.find("; then ");
    std::string const parts[] = {text.substr(0, then),
                                 then == std::string::npos ? "" : text.substr(then + 7)};
    for (std::string const& part : parts) {
      if (!part.empty()) failure.chain.push_back({number, printable(part, 600), ""});
    }
    int const index = reader_.add_failure(failure);
    for (int link = 0; link < 2; ++link) {
      if (parts[link].empty()) continue;
      reader_.take({number, parts[link]}, {Phase::test, Role::exception, index, link});
    }
  }

  Reader reader_;
  std::string op_;
  results::BatchState state_;
  std::vector<std::pair<std::size_t, std::string>> lines_;
  std::vector<std::string> foreign_;
  std::size_t ended_line_ = 0;
};

Result<void> read_events_of(std::filesystem::path const& path, EventReader& reader) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return {};
  std::ifstream file(path);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) reader.take(line, number);
  if (!file.bad() && file.eof()) return {};
  return fail(ErrorKind::environment, fmt::format("cannot read {}", path.string()));
}

// Which phase the failure belongs to: of the first case that failed, else of the end.
std::string phase_of(results::OpState const* state, results::OpResult const& result) {
  if (state != nullptr) {
    for (Case const& one : state->cases) {
      if (one.status == CaseStatus::failed && !one.phase.empty()) return one.phase;
    }
  }
  if (starts_with(result.reason, "collection: ")) return "collect";
  if (starts_with(result.reason, "import: ")) return "import";
  bool const is_about_the_end = result.signal || result.status == Status::timeout;
  return is_about_the_end ? result.phase : "";
}

// Ratios within 2 % of 1 over three cases or more: the same function on both sides.
std::string speedup_word(results::OpState const& state) {
  int ratios = 0;
  for (Case const& one : state.cases) {
    std::optional<double> const ratio = one.speedup();
    if (!ratio) continue;
    ++ratios;
    if (std::fabs(*ratio - 1) > 0.02) return "other";
  }
  return ratios >= 3 ? "one" : "";
}

void add_result(Facts& facts, results::OpResult const& result, results::OpState const* state) {
  auto const put = [&](char const* name, std::string const& value) {
    if (!value.empty()) facts.set(name, value);
  };
  put("status", std::string(results::to_text(result.status)));
  put("backend", result.backend);
  put("timer", result.timer);
  put("phase", phase_of(state, result));
  put("numbers", result.shapes > 0 ? "yes" : "no");
  if (result.exit_status) facts.set("exit", std::to_string(*result.exit_status));
  if (result.signal) facts.set("signal", std::to_string(*result.signal));
  if (result.kernels) facts.set("candidate_kernels", *result.kernels == 0 ? "none" : "some");
  if (result.speedup) facts.set("speedup_mean", fmt::format("{:.4f}", *result.speedup));
  if (state != nullptr) put("speedup", speedup_word(*state));
  auto const seconds = [&](char const* phase, char const* name) {
    auto const found = result.phase_times_s.find(phase);
    if (found != result.phase_times_s.end()) facts.set(name, fmt::format("{:.3f}", found->second));
  };
  seconds("import", "seconds_import");
  seconds("collect", "seconds_collect");
  seconds("input", "seconds_input");
  seconds("baseline", "seconds_baseline");
  seconds("candidate", "seconds_candidate");
}

void add_identity(Facts& facts, Json const& identity) {
  Json const empty = Json::object();
  Json const* const found = find_field(identity, "child");
  Json const& child = found == nullptr ? empty : *found;
  auto const put = [&](char const* name, std::optional<std::string> const& value) {
    if (value && !value->empty()) facts.set(name, *value);
  };
  auto const put_number = [&](char const* name, char const* field, double scale) {
    if (std::optional<double> const value = number_field(child, field))
      facts.set(name, fmt::format("{:.0f}", *value * scale));
  };
  put("vendor", string_field(identity, "vendor"));
  put("backend", string_field(identity, "backend"));
  put("torch_device", string_field(child, "torch_device"));
  put_number("memory_total_bytes", "device_memory_total_bytes", 1);
  put_number("memory_free_bytes", "device_memory_free_bytes", 1);
  put_number("shm_mib", "shm_bytes", 1.0 / (1 << 20));
  put_number("open_files_limit", "open_files_limit", 1);
  if (std::optional<bool> const inside = bool_field(child, "corpus_in_root"))
    facts.set("corpus_place", *inside ? "inside" : "outside");
  Json const* const active = find_field(child, "triton_backends_active");
  if (active != nullptr && active->is_array())
    facts.set("triton_active", std::to_string(active->size()));
}

// A reason without its counts and without the shape: what stays when only the case differs.
std::string skeleton(std::string_view reason) {
  std::string text;
  for (char const c : reason.substr(0, reason.find(" (shape"))) {
    if (c < '0' || c > '9') text += c;
  }
  return text;
}

}  // namespace

Result<RunEvidence> read_run(RuleBook const& book, RunPlace const& place,
                             std::optional<results::OpResult> const& ended,
                             FileFacts const& file_facts) {
  RunEvidence evidence;
  EventReader events(book, place.op);
  Result<void> const read = read_events_of(place.events, events);
  if (!read) return tl::unexpected<Error>(read.error());
  results::OpState const* const state = events.state();
  results::OpResult const* const result = ended                               ? &*ended
                                          : state != nullptr && state->result ? &*state->result
                                                                              : nullptr;
  evidence.readings.push_back(events.finish(result));
  Result<Reading> log = read_log_file(book, place.folder / "run.log", "run.log");
  if (!log) return tl::unexpected<Error>(log.error());
  evidence.readings.push_back(std::move(*log));
  if (result != nullptr) add_result(evidence.facts, *result, state);
  for (std::string const& vendor : events.foreign()) evidence.facts.add("foreign_modules", vendor);
  std::error_code code;
  if (std::filesystem::exists(place.folder / "run_identity.json", code)) {
    Result<std::string> const text = read_file(place.folder / "run_identity.json");
    std::optional<Json> const identity = text ? parse_json(*text) : std::nullopt;
    if (identity) add_identity(evidence.facts, *identity);
  }
  if (file_facts && result != nullptr) {
    for (std::string const& finding : file_facts(result->node)) evidence.facts.add("lint", finding);
  }
  return evidence;
}

void add_batch_facts(Facts& facts, results::BatchState const& batch,
                     results::OpResult const& result, Explanation const& alone) {
  bool const is_signature = alone.rule != nullptr && !alone.rule->last_resort;
  int passed = 0;
  int alike = 0;
  bool is_trivial_alike = false;
  bool is_trivial_there = false;
  for (results::OpState const& other : batch.operators()) {
    if (other.op == result.op || !other.result) continue;
    bool const has_passed = other.result->status == Status::passed;
    bool const is_alike =
        !has_passed && other.result->cause == alone.cause() &&
        (is_signature || skeleton(other.result->reason) == skeleton(result.reason));
    passed += has_passed ? 1 : 0;
    alike += is_alike ? 1 : 0;
    is_trivial_there = is_trivial_there || is_trivial(other.op);
    is_trivial_alike = is_trivial_alike || (is_alike && is_trivial(other.op));
  }
  facts.set("others_passed", std::to_string(passed));
  facts.set("others_alike", std::to_string(alike));
  if (is_trivial_there) facts.set("trivial_alike", is_trivial_alike && passed == 0 ? "yes" : "no");
}

}  // namespace zl::check
