#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "backend/device.h"
#include "backend/source.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace zl::backend {

namespace {

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
  for (Device const& device : answer.devices) text["devices"].push_back(to_json(device));
  return to_line(text);
}

SourceAnswer ask_guarded(Question const& question) {
  SourceAnswer result;
  auto const text = run_guarded(answer_as_text, &question, question.options->limit_s);
  if (!text) {
    result.notes.push_back(
        fmt::format("{}: the vendor library {}", question.kind->name, text.error().text));
    return result;
  }
  // The child ran foreign code: its answer is read as if anybody had written it.
  Json const answer = parse_json(*text).value_or(Json());
  Json const* const devices = find_field(answer, "devices");
  Json const* const notes = find_field(answer, "notes");
  if (devices == nullptr || notes == nullptr) {
    result.notes.push_back(
        fmt::format("{}: the answer of the guarded child cannot be read", question.kind->name));
    return result;
  }
  for (Json const& value : *devices) {
    if (auto device = device_from_json(value)) result.devices.push_back(std::move(*device));
  }
  for (Json const& note : *notes) {
    if (note.is_string()) result.notes.push_back(note.get<std::string>());
  }
  return result;
}

}  // namespace

SourceKind const* find_source_kind(std::string_view name) {
  for (SourceKind const& kind : source_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

Enumeration ask_sources(std::vector<Source> const& sources, ProbeOptions const& options) {
  Enumeration result;
  for (Source const& source : sources) {
    SourceKind const* kind = find_source_kind(source.kind);
    ZL_CHECK(kind != nullptr, "parse_descriptor accepts known kinds only");
    SourceAnswer answer = kind->cost == SourceKind::Cost::library
                              ? ask_guarded({kind, &source, &options})
                              : kind->ask(source, options);
    for (std::string& note : answer.notes) result.notes.push_back(std::move(note));
    if (answer.devices.empty()) continue;
    result.devices = std::move(answer.devices);
    result.source = source.kind;
    result.reachable = kind->proof != SourceKind::Proof::bus_only;
    if (!result.reachable) {
      result.notes.push_back(fmt::format(
          "{}: seen on the bus only; no driver or device node answers here", source.kind));
    }
    break;
  }
  return result;
}

Enumeration enumerate_devices(Descriptor const& descriptor, ProbeOptions const& options) {
  return ask_sources(descriptor.sources, options);
}

}  // namespace zl::backend
