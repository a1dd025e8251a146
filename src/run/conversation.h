#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/event.h"
#include "run/protocol.h"

namespace zl::run {

// The parent's side of the child protocol, without the socket: bytes in, checked events out.
// Decides what of a child's words is believed; a child that breaks the rules costs a count, never a
// throw.
class Conversation {
 public:
  explicit Conversation(std::string op) : op_(std::move(op)) {}

  struct Heard {
    std::vector<results::Event> events;
    std::optional<Access> wish;  // the last one; `none`: it has given back what it had
  };
  Heard feed(std::string_view bytes);
  // The peer is gone: half a line counts as broken, open cases end as failed.
  std::vector<results::Event> close();

  bool has_hello() const { return hello_.has_value(); }
  // Empty, or the other protocol number.
  std::optional<long long> foreign_protocol() const;
  std::size_t broken_lines() const { return broken_lines_; }
  std::string const& first_fault() const { return first_fault_; }  // of the broken lines
  // Beyond the limits of docs/child-protocol.md: the child is to be ended.
  bool is_flooding() const;
  std::optional<Bye> const& bye() const { return bye_; }
  int stack_signal() const { return hello_ ? hello_->stack_signal : 0; }
  std::string const& phase() const { return phase_; }          // the one that runs now
  std::string const& open_case() const { return open_case_; }  // the latest begun and not ended
  std::string const& vendor_mismatch() const { return vendor_mismatch_; }
  std::string const& foreign_modules() const { return foreign_modules_; }

 private:
  void hear(std::string_view line, Heard& heard);
  void accept(Message&& message, Heard& heard);
  void note_fault(std::string const& text);
  void begin_case(CaseBegins&& message, Heard& heard);
  void end_case(CaseEnds const& message, Heard& heard);
  bool knows_case(std::string const& id, char const* what);

  std::string op_;
  LineSplitter splitter_;
  std::optional<Hello> hello_;
  std::optional<Bye> bye_;
  std::set<std::string> known_cases_;
  std::set<std::string> open_cases_;
  std::string open_case_;
  std::string phase_ = "start";
  std::size_t messages_ = 0;
  std::size_t broken_lines_ = 0;
  std::string first_fault_;
  std::string vendor_mismatch_;
  std::string foreign_modules_;
};

}  // namespace zl::run
