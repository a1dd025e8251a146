#include "check/phases.h"

#include <cstring>

#include "base/text.h"

namespace zl::check {

namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

bool contains(std::string_view text, std::string_view part) {
  return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

// "==== FAILURES ====" to "FAILURES"; empty for anything else.
std::string_view ruled_title(std::string_view text, char rule) {
  if (text.size() < 8 || text.substr(0, 3) != std::string(3, rule)) return {};
  while (!text.empty() && text.front() == rule) text.remove_prefix(1);
  while (!text.empty() && text.back() == rule) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_chain_mark(std::string_view text) {
  return contains(text, "During handling of the above exception") ||
         contains(text, "The above exception was the direct cause");
}

bool is_e_line(std::string_view text) {
  return text.size() > 4 && text.substr(0, 4) == "E   ";
}

bool is_warning(std::string_view text) {
  return contains(text, "Warning:") || starts_with(text, "WARNING") ||
         contains(text, " WARNING ") || starts_with(text, "[W");
}

// "pkg.TypeError: text", "KeyError", "module.Failed: text".
bool looks_like_exception(std::string_view text) {
  std::size_t const colon = text.find(':');
  std::string_view const name = text.substr(0, colon);
  if (name.empty() || name.size() > 120) return false;
  for (char const c : name) {
    bool const is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (!is_word) return false;
  }
  std::size_t const dot = name.rfind('.');
  char const first = name[dot == std::string_view::npos ? 0 : std::min(dot + 1, name.size() - 1)];
  return (first >= 'A' && first <= 'Z') || first == '_';
}

std::string side_of_source(std::string_view text) {
  if (contains(text, "latency_base =")) return "baseline";
  if (contains(text, "metric.latency =")) return "candidate";
  return "";
}

}  // namespace

std::string_view to_text(Phase phase) {
  constexpr std::string_view kNames[] = {"import", "collection", "setup",
                                         "test",   "teardown",   "summary"};
  return kNames[static_cast<std::size_t>(phase)];
}

int LogShape::first_failure() const {
  for (std::size_t i = 0; i < failures.size(); ++i) {
    if (failures[i].is_block && !failures[i].chain.empty()) return static_cast<int>(i);
  }
  return failures.empty() ? -1 : 0;
}

LineContext PhaseTracker::context(Role role) const {
  return {phase_, role, failure_, link_};
}

Failure* PhaseTracker::current() {
  auto const index = static_cast<std::size_t>(failure_);
  return failure_ >= 0 && index < shape_.failures.size() ? &shape_.failures[index] : nullptr;
}

void PhaseTracker::open_failure(LogLine const& line, std::string title, bool is_block) {
  failure_ = static_cast<int>(shape_.failures_seen++);
  link_ = 0;
  last_frame_.clear();
  in_captured_ = false;
  if (shape_.failures.size() >= LogShape::kMostFailures) return;
  Failure failure;
  failure.phase = phase_;
  failure.is_block = is_block;
  failure.title = std::move(title);
  failure.line = line.number;
  shape_.failures.push_back(std::move(failure));
}

// The message of an exception may have several lines: only the first one is its own.
void PhaseTracker::add_exception(LogLine const& line) {
  Failure* const failure = current();
  if (failure == nullptr || failure->chain.size() > static_cast<std::size_t>(link_)) return;
  std::string_view text = line.text;
  if (is_e_line(text)) text.remove_prefix(1);
  failure->chain.push_back({line.number, printable(trim(text), 600), last_frame_});
}

void PhaseTracker::note_frame(std::string_view text) {
  Failure* const failure = current();
  if (failure == nullptr) return;
  if (std::string side = side_of_source(text); !side.empty() && link_ == 0)
    failure->side = std::move(side);
  bool const is_place = starts_with(trim(text), "File \"") || contains(text, ".py:");
  if (!is_place) return;
  last_frame_ = printable(trim(text), 300);
  if (contains(text, "flag_gems/")) failure->has_corpus_frame = true;
  std::size_t const at = text.find("backend/_");
  if (at == std::string_view::npos) return;
  std::string_view const rest = text.substr(at + 9);
  std::size_t const slash = rest.find('/');
  if (slash != std::string_view::npos && slash > 0 && failure->vendor_packages.size() < 16)
    failure->vendor_packages.emplace(rest.substr(0, slash));
}

void PhaseTracker::open_section(std::string_view title) {
  in_traceback_ = in_captured_ = chain_goes_on_ = false;
  failure_ = -1;
  if (contains(title, "test session starts")) {
    shape_.has_session = true;
    phase_ = Phase::collection;
    section_ = Section::none;
  } else if (title == "ERRORS") {
    section_ = Section::errors;
  } else if (title == "FAILURES") {
    section_ = Section::failures;
    phase_ = Phase::test;
  } else if (starts_with(title, "warnings summary")) {
    section_ = Section::warnings;
  } else if (contains(title, "short test summary") || title == "PASSES" ||
             contains(title, " in ")) {
    section_ = Section::summary;
    phase_ = Phase::summary;
  }
}

// Headers that end whatever was open.
bool PhaseTracker::is_boundary(LogLine const& line) {
  if (line.text.front() == '=') {
    std::string_view const title = ruled_title(line.text, '=');
    if (title.empty()) return false;
    open_section(title);
    return true;
  }
  bool const has_blocks = section_ == Section::errors || section_ == Section::failures;
  if (line.text.front() == '_' && has_blocks) {
    std::string_view const title = ruled_title(line.text, '_');
    if (title.empty()) return false;
    if (starts_with(title, "ERROR collecting")) phase_ = Phase::collection;
    if (starts_with(title, "ERROR at setup")) phase_ = Phase::setup;
    if (starts_with(title, "ERROR at teardown")) phase_ = Phase::teardown;
    open_failure(line, std::string(title), true);
    return true;
  }
  return false;
}

LineContext PhaseTracker::in_block(LogLine const& line) {
  if (starts_with(line.text, "----") && contains(line.text, "Captured")) in_captured_ = true;
  if (in_captured_) return context(Role::plain);
  if (is_e_line(line.text)) {
    if (chain_goes_on_) ++link_;
    chain_goes_on_ = false;
    add_exception(line);
    return context(Role::exception);
  }
  if (is_chain_mark(line.text)) chain_goes_on_ = true;
  note_frame(line.text);
  return context(Role::frame);
}

// A bare traceback: its frames are indented, the line after them is the exception. Every line may
// begin with the name of its process; other threads may print between.
LineContext PhaseTracker::in_traceback(LogLine const& line) {
  LogLine own = line;
  if (starts_with(own.text, prefix_) && own.text.size() > prefix_.size())
    own.text.remove_prefix(prefix_.size());
  bool const is_indented = own.text.front() == ' ' || own.text.front() == '\t';
  if (!is_indented) {
    if (!looks_like_exception(own.text)) return context(Role::plain);
    in_traceback_ = false;
    add_exception(own);
    return context(Role::exception);
  }
  note_frame(line.text);
  return context(Role::frame);
}

LineContext PhaseTracker::in_section(LogLine const& line) {
  if (section_ == Section::errors || section_ == Section::failures) {
    if (failure_ >= 0) return in_block(line);
    return context(Role::plain);
  }
  if (section_ == Section::warnings) return context(Role::warning);
  if (starts_with(line.text, "SKIPPED [") && !shape_.first_skip)
    shape_.first_skip = Exception{line.number, printable(line.text, 400), ""};
  if (starts_with(line.text, "FAILED ") || starts_with(line.text, "ERROR "))
    has_summary_of_failures_ = true;
  return context(Role::quoted);
}

LineContext PhaseTracker::feed(LogLine const& line) {
  if (is_boundary(line)) return context(Role::frame);
  if (section_ != Section::none) return in_section(line);
  if (in_traceback_) return in_traceback(line);
  if (ends_with(line.text, kTraceback)) {
    if (chain_goes_on_) {
      ++link_;
    } else {
      open_failure(line, "", false);
    }
    chain_goes_on_ = false;
    in_traceback_ = true;
    prefix_ = line.text.substr(0, line.text.size() - kTraceback.size());
    return context(Role::frame);
  }
  if (is_chain_mark(line.text)) {
    chain_goes_on_ = failure_ >= 0;
    return context(Role::frame);
  }
  bool const is_conftest = starts_with(line.text, "ImportError while loading conftest");
  if (is_conftest || (is_e_line(line.text) && failure_ < 0))
    open_failure(line, is_conftest ? std::string(kConftestTitle) : "", true);
  bool const is_fatal = starts_with(line.text, "Fatal Python error:");
  if (is_fatal) open_failure(line, "", false);
  if (is_fatal || is_e_line(line.text)) {
    add_exception(line);
    return context(Role::exception);
  }
  if (starts_with(line.text, "collected ")) phase_ = Phase::test;
  if (is_warning(line.text)) return context(Role::warning);
  if (failure_ >= 0 && contains(line.text, ".py:")) note_frame(line.text);
  return context(Role::plain);
}

LogShape PhaseTracker::finish() {
  bool has_exception = false;
  for (Failure const& failure : shape_.failures) {
    has_exception = has_exception || !failure.chain.empty();
  }
  shape_.hides_tracebacks = has_summary_of_failures_ && !has_exception;
  return std::move(shape_);
}

}  // namespace zl::check
