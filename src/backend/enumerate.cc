#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "backend/device.h"
#include "backend/file_sources.h"
#include "backend/source.h"
#include "base/guarded.h"
#include "base/json.h"
#include "base/text.h"

namespace zl::backend {

namespace {

// A source that is this part of the limit late does not keep the next one waiting any longer.
constexpr double kPatience = 0.25;

struct Question {
  SourceKind const* kind;
  Source const* source;
  ProbeOptions const* options;
};

// In the guarded child. Vendor libraries may print; that must not mix with our own output.
std::string answer_as_text(void const* argument) {
  auto const& question = *static_cast<Question const*>(argument);
  int const null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null_fd >= 0) {
    ::dup2(null_fd, STDOUT_FILENO);
    ::dup2(null_fd, STDERR_FILENO);
  }
  SourceAnswer const answer = question.kind->ask(*question.source, *question.options);
  Json text = {{"devices", Json::array()}, {"notes", answer.notes}};
  for (Device const& device : answer.devices) {
    text["devices"].push_back(to_json_with_readings(device));
  }
  return to_line(text);
}

// The child ran foreign code: its answer is read as if anybody had written it. Empty: unreadable.
std::optional<SourceAnswer> read_answer(std::string const& text) {
  Json const answer = parse_json(text).value_or(Json());
  Json const* const devices = find_field(answer, "devices");
  Json const* const notes = find_field(answer, "notes");
  if (devices == nullptr || notes == nullptr) return std::nullopt;
  SourceAnswer result;
  for (Json const& value : *devices) {
    if (auto device = device_from_json(value)) result.devices.push_back(std::move(*device));
  }
  for (Json const& note : *notes) {
    if (note.is_string()) result.notes.push_back(note.get<std::string>());
  }
  return result;
}

// One source on the way to its answer.
struct Asked {
  Source const* source;
  SourceKind const* kind;
  std::optional<GuardedCall> call;  // while it is at work
  SourceAnswer answer;
  std::string failure;  // it hung or crashed
};

// The sources of one backend, each asked when those before it have nothing or are late.
class Inquiry {
 public:
  Inquiry(std::vector<Source> const& sources, ProbeOptions const& options)
      : sources_(&sources), options_(&options) {}

  void start_due() {
    while (asked_.size() < sources_->size() && !has_devices() && !must_wait()) start_next();
  }

  // Nothing that may still come could change the result.
  bool is_settled() const {
    for (Asked const& each : asked_) {
      if (each.call) return false;
      if (!each.answer.devices.empty()) return true;
    }
    return asked_.size() == sources_->size();
  }

  void add_descriptors(std::vector<pollfd>& entries) const {
    for (Asked const& each : asked_) {
      if (each.call) entries.push_back({each.call->fd(), POLLIN, 0});
    }
  }

  void take_answers() {
    for (Asked& each : asked_) {
      if (!each.call) continue;
      auto const text = each.call->take();
      if (!text) continue;
      each.call.reset();
      auto answer = *text ? read_answer(**text) : std::nullopt;
      if (answer) {
        each.answer = std::move(*answer);
      } else {
        each.failure =
            fmt::format("{}: the library or its driver failed: {}", each.kind->name,
                        *text ? "the answer of its child cannot be read" : text->error().text);
      }
    }
  }

  // What has not answered is given up, what costs nothing is asked all the same.
  void end() {
    for (Asked& each : asked_) {
      if (!each.call) continue;
      each.failure = fmt::format("{}: the library or its driver did not answer within {:.1f} s",
                                 each.kind->name, each.call->running_s());
      each.call.reset();
    }
    while (asked_.size() < sources_->size() && !has_devices()) start_next_if_cheap();
  }

  Enumeration result() {
    Enumeration result;
    for (Asked& each : asked_) {
      if (!each.failure.empty()) {
        result.failures.push_back(each.failure);
        result.notes.push_back(std::move(each.failure));
      }
      for (std::string& note : each.answer.notes) result.notes.push_back(std::move(note));
      if (each.answer.devices.empty()) continue;
      result.devices = std::move(each.answer.devices);
      result.source = each.source->kind;
      result.reachable = each.kind->proof != SourceKind::Proof::bus_only;
      break;
    }
    if (!result.devices.empty() && !result.reachable) {
      result.notes.push_back(fmt::format(
          "{}: seen on the bus only; no driver or device node answers here", result.source));
    }
    return result;
  }

 private:
  bool has_devices() const {
    return std::any_of(asked_.begin(), asked_.end(),
                       [](Asked const& each) { return !each.answer.devices.empty(); });
  }

  bool must_wait() const {
    double const patience_s = options_->limit_s * kPatience;
    return std::any_of(asked_.begin(), asked_.end(), [&](Asked const& each) {
      return each.call && each.call->running_s() < patience_s;
    });
  }

  Asked& add_next() {
    Source const& source = (*sources_)[asked_.size()];
    SourceKind const* const kind = find_source_kind(source.kind);
    ZL_CHECK(kind != nullptr, "parse_descriptor accepts known kinds only");
    return asked_.emplace_back(Asked{&source, kind, std::nullopt, {}, ""});
  }

  void start_next() {
    Asked& next = add_next();
    if (next.kind->cost == SourceKind::Cost::files) {
      next.answer = next.kind->ask(*next.source, *options_);
      return;
    }
    Question const question{next.kind, next.source, options_};
    auto call = GuardedCall::start(answer_as_text, &question);
    if (call) {
      next.call.emplace(std::move(*call));
    } else {
      next.failure = fmt::format("{}: {}", next.kind->name, call.error().text);
    }
  }

  void start_next_if_cheap() {
    Asked& next = add_next();
    if (next.kind->cost == SourceKind::Cost::files) {
      next.answer = next.kind->ask(*next.source, *options_);
    } else {
      next.failure = fmt::format("{}: not asked, the time was over", next.kind->name);
    }
  }

  std::vector<Source> const* sources_;
  ProbeOptions const* options_;
  std::vector<Asked> asked_;
};

// Until one of them answers, at most `limit_s`; and not longer than until the next one is late.
void wait_for_any(std::vector<Inquiry> const& inquiries, double limit_s, double patience_s) {
  std::vector<pollfd> entries;
  for (Inquiry const& inquiry : inquiries) inquiry.add_descriptors(entries);
  double const wait_s = std::min(limit_s, patience_s / 4);
  ::poll(entries.data(), entries.size(), static_cast<int>(std::ceil(wait_s * 1000)));
}

}  // namespace

SourceKind const* find_source_kind(std::string_view name) {
  for (SourceKind const& kind : source_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<Enumeration> ask_sources(std::vector<std::vector<Source>> const& backends,
                                     ProbeOptions const& options) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  ProbeOptions shared = options;
  if (!shared.bus && backends.size() > 1) shared.bus = read_pci_bus(options);
  std::vector<Inquiry> inquiries;
  for (std::vector<Source> const& sources : backends) inquiries.emplace_back(sources, shared);
  while (true) {
    bool is_settled = true;
    for (Inquiry& inquiry : inquiries) {
      inquiry.take_answers();
      inquiry.start_due();
      is_settled = is_settled && inquiry.is_settled();
    }
    double const left_s =
        options.limit_s - std::chrono::duration<double>(Clock::now() - begin).count();
    if (is_settled || left_s <= 0) break;
    wait_for_any(inquiries, left_s, options.limit_s * kPatience);
  }
  std::vector<Enumeration> result;
  for (Inquiry& inquiry : inquiries) {
    if (!inquiry.is_settled()) inquiry.end();
    result.push_back(inquiry.result());
  }
  return result;
}

Enumeration enumerate_devices(Descriptor const& descriptor, ProbeOptions const& options) {
  return std::move(ask_sources({descriptor.sources}, options).front());
}

std::vector<Enumeration> enumerate_devices(std::vector<Descriptor const*> const& descriptors,
                                           ProbeOptions const& options) {
  std::vector<std::vector<Source>> sources;
  for (Descriptor const* const each : descriptors) sources.push_back(each->sources);
  return ask_sources(sources, options);
}

}  // namespace zl::backend
