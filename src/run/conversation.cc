#include "run/conversation.h"

#include "base/overloaded.h"
#include "base/text.h"

namespace zl::run {

namespace {

// One operator has tens of cases and hundreds of kernels; these leave three orders of magnitude.
constexpr std::size_t kMaxMessages = 200'000;
constexpr std::size_t kMaxBrokenLines = 1'000;

}  // namespace

std::optional<long long> Conversation::foreign_protocol() const {
  if (!hello_ || hello_->protocol == kProtocolVersion) return std::nullopt;
  return hello_->protocol;
}

bool Conversation::is_flooding() const {
  return messages_ > kMaxMessages || broken_lines_ > kMaxBrokenLines;
}

void Conversation::note_fault(std::string const& text) {
  ++broken_lines_;
  if (first_fault_.empty()) first_fault_ = text;
}

Conversation::Heard Conversation::feed(std::string_view bytes) {
  Heard heard;
  for (LineSplitter::Line const& line : splitter_.feed(bytes)) {
    if (is_flooding()) break;
    if (line.is_too_long) {
      note_fault("a line over 1 MiB");
    } else {
      hear(line.text, heard);
    }
  }
  return heard;
}

void Conversation::hear(std::string_view line, Heard& heard) {
  ++messages_;
  Result<Message> message = parse_message(line);
  if (!message) {
    note_fault(message.error().text + ": " + printable(line, 80));
    return;
  }
  bool const is_hello = std::holds_alternative<Hello>(*message);
  if (!hello_ && !is_hello) {
    note_fault("a message before hello");
    return;
  }
  if (is_hello && hello_) {
    note_fault("a second hello");
    return;
  }
  if (foreign_protocol()) return;
  accept(std::move(*message), heard);
}

bool Conversation::knows_case(std::string const& id, char const* what) {
  if (known_cases_.count(id) > 0) return true;
  note_fault(std::string(what) + " of a case that was not begun: " + printable(id, 80));
  return false;
}

void Conversation::begin_case(CaseBegins&& message, Heard& heard) {
  if (!known_cases_.insert(message.begun.id).second) {
    note_fault("a case begun twice: " + printable(message.begun.id, 80));
    return;
  }
  open_cases_.insert(message.begun.id);
  open_case_ = message.begun.id;
  heard.events.push_back(
      results::CaseBegun{op_, std::move(message.begun), std::move(message.shape_json)});
}

void Conversation::end_case(CaseEnds const& message, Heard& heard) {
  if (!knows_case(message.case_id, "case_end")) return;
  if (open_cases_.erase(message.case_id) == 0) {
    note_fault("a case ended twice: " + printable(message.case_id, 80));
    return;
  }
  if (open_case_ == message.case_id) open_case_.clear();
  heard.events.push_back(results::CaseEnded{op_, message.case_id, message.status, message.phase,
                                            message.error, message.metrics_json});
}

void Conversation::accept(Message&& message, Heard& heard) {
  std::visit(Overloaded{
                 [&](Hello& m) {
                   phase_ = "import";
                   if (!m.identity_json.empty() && m.protocol == kProtocolVersion) {
                     heard.events.push_back(results::IdentityKnown{op_, m.identity_json});
                   }
                   hello_ = std::move(m);
                 },
                 [&](IdentityPart& m) {
                   if (!m.identity_json.empty())
                     heard.events.push_back(results::IdentityKnown{op_, m.identity_json});
                 },
                 [&](PhaseBegins& m) { phase_ = printable(m.phase, 20); },
                 [&](CaseBegins& m) { begin_case(std::move(m), heard); },
                 [&](results::Measurement& m) {
                   if (knows_case(m.case_id, "measurement"))
                     heard.events.push_back(results::Measured{op_, std::move(m)});
                 },
                 [&](CaseEnds& m) { end_case(m, heard); },
                 [&](results::Kernel& m) {
                   heard.events.push_back(results::KernelSeen{op_, std::move(m)});
                 },
                 [&](AccessWanted& m) { heard.wish = m.access; },
                 [&](ChildNote& m) {
                   if (m.code == "VENDOR_MISMATCH" && m.level == "error") vendor_mismatch_ = m.text;
                   if (m.code == "FOREIGN_VENDOR_MODULE") foreign_modules_ = m.code + " " + m.text;
                   heard.events.push_back(results::Noted{op_, m.level, m.code, m.text});
                 },
                 [&](Bye& m) { bye_ = std::move(m); },
                 [&](UnknownType&) {},
             },
             message);
}

std::vector<results::Event> Conversation::close() {
  if (splitter_.has_rest()) note_fault("half a line at the end");
  std::vector<results::Event> events;
  for (std::string const& id : open_cases_) {
    std::string const phase = id == open_case_ ? phase_ : "";
    events.push_back(results::CaseEnded{op_, id, results::CaseStatus::failed, phase,
                                        "the child ended during this case", ""});
  }
  open_cases_.clear();
  return events;
}

}  // namespace zl::run
