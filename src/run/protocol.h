#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "results/record.h"
#include "run/access.h"

namespace zl::run {

// docs/child-protocol.md in types. Nothing here is believed until Conversation has checked it.

inline constexpr int kProtocolVersion = 1;
inline constexpr std::size_t kMaxLineBytes = 1u << 20;

struct Hello {
  long long protocol = 0;
  std::string role;
  std::string identity_json;  // "" or an object
  // On this signal it writes its stacks into its log and goes on; 0: it has no such thing.
  int stack_signal = 0;
};
struct IdentityPart {
  std::string identity_json;
};
struct PhaseBegins {
  std::string case_id;
  std::string phase;
};
struct CaseBegins {
  results::Case begun;
  std::string shape_json;
};
struct CaseEnds {
  std::string case_id;
  results::CaseStatus status = results::CaseStatus::ok;
  std::string phase;
  std::string error;
  std::string metrics_json;
};
// It asks for this on its device, and has given back what it had: none, it asks for nothing.
struct AccessWanted {
  Access access = Access::none;
};
struct ChildNote {
  std::string level;
  std::string code;
  std::string text;
};
struct Bye {
  long long exit_status = 0;
  long long collected = 0;
  long long passed = 0;
  long long failed = 0;
  long long skipped = 0;
  std::string reason;     // of the first failure or skip
  std::string failed_in;  // collection, setup, call, teardown, import, check, or empty
};
struct UnknownType {};  // of a newer child: skipped

using Message = std::variant<Hello, IdentityPart, PhaseBegins, CaseBegins, results::Measurement,
                             CaseEnds, results::Kernel, AccessWanted, ChildNote, Bye, UnknownType>;

// One line without its newline. The error says in a few words what is wrong with the line.
Result<Message> parse_message(std::string_view line);

// What the parent sends; with the newline.
std::string granted_line(Access access);
std::string stop_line();

// Cuts a byte stream into lines. A line over kMaxLineBytes is dropped up to its newline.
class LineSplitter {
 public:
  struct Line {
    std::string text;
    bool is_too_long = false;
  };
  std::vector<Line> feed(std::string_view bytes);
  // Bytes after the last newline: half a line, once the peer is gone.
  bool has_rest() const { return !rest_.empty() || is_skipping_; }

 private:
  std::string rest_;
  bool is_skipping_ = false;
};

}  // namespace zl::run
