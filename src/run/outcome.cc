#include "run/outcome.h"

#include <fmt/format.h>

#include "base/json.h"

namespace zl::run {

namespace {

using results::Case;
using results::CaseStatus;
using results::Status;

struct Verdict {
  Status status;
  std::string reason;
};

struct Tally {
  int failed = 0;
  int skipped = 0;
  int with_numbers = 0;
  Case const* first_failed = nullptr;
};

Tally tally(std::vector<Case> const& cases) {
  Tally result;
  for (Case const& one : cases) {
    if (one.has_numbers()) ++result.with_numbers;
    if (one.status == CaseStatus::skipped) ++result.skipped;
    if (one.status != CaseStatus::failed) continue;
    ++result.failed;
    if (result.first_failed == nullptr) result.first_failed = &one;
  }
  return result;
}

std::string describe(Case const& one) {
  return fmt::format("{}: {} (shape {}, {})", one.phase.empty() ? "failed" : one.phase,
                     printable(one.error, 300), printable(one.shape_text, 100), one.dtype);
}

// Where a child was when it was ended: "in phase candidate of case X".
std::string whereabouts(Conversation const& conversation) {
  if (conversation.open_case().empty()) return "in phase " + conversation.phase();
  return fmt::format("in phase {} of case {}", conversation.phase(),
                     printable(conversation.open_case(), 120));
}

// Ends that are not the child's own decision, or that make its words worthless.
std::optional<Verdict> forced_end(Plan const& plan, Conversation const& conversation,
                                  ChildEnd const& end) {
  std::string const where = whereabouts(conversation);
  switch (end.by) {
    case EndedBy::user:
      return Verdict{Status::interrupted, "interrupted " + where};
    case EndedBy::time_limit:
      return Verdict{Status::timeout,
                     fmt::format("no end within {:g} s, {}", plan.options.time_limit_s, where)};
    case EndedBy::silence:
      return Verdict{Status::timeout,
                     fmt::format("said nothing for {:g} s while others waited for its device, {}",
                                 plan.options.silence_s, where)};
    case EndedBy::lost_device:
      return Verdict{Status::interrupted, "its device was lost " + where};
    case EndedBy::log_limit:
      return Verdict{Status::log_overflow, fmt::format("its log grew over {} MiB, {}",
                                                       plan.options.log_limit_bytes >> 20, where)};
    case EndedBy::broken_protocol:
      if (conversation.broken_lines() == 0)
        return Verdict{Status::protocol_error, "said more than a child may say, " + where};
      return Verdict{Status::protocol_error,
                     fmt::format("broke the child protocol {} times, first: {}",
                                 conversation.broken_lines(), conversation.first_fault())};
    case EndedBy::itself:
      break;
  }
  if (std::optional<long long> const other = conversation.foreign_protocol()) {
    return Verdict{Status::protocol_error,
                   fmt::format("the child speaks protocol {}, this zlbench speaks {}", *other,
                               kProtocolVersion)};
  }
  if (!conversation.vendor_mismatch().empty()) {
    return Verdict{Status::wrong_vendor, conversation.vendor_mismatch()};
  }
  if (end.status.signal) {
    return Verdict{Status::crashed, fmt::format("{} {}", end.status.describe(), where)};
  }
  if (!conversation.has_hello()) {
    std::string const log =
        end.last_log_line.empty() ? "its log is empty" : "last log line: " + end.last_log_line;
    return Verdict{Status::failed, fmt::format("the child ended with {} before it said hello; {}",
                                               end.status.describe(), printable(log, 400))};
  }
  return std::nullopt;
}

// pytest's exit codes, where the child gave no better reason.
std::string exit_reason(ChildEnd const& end) {
  switch (end.status.code.value_or(-1)) {
    case 2:
      return "pytest: collection failed or was interrupted";
    case 3:
      return "pytest: internal error";
    case 4:
      return "pytest: usage error, or the corpus' conftest cannot be imported";
    case 5:
      return "pytest: nothing was collected";
    default:
      return "ended with " + end.status.describe();
  }
}

std::string failure_reason(Tally const& counts, std::size_t cases, Conversation const& conversation,
                           ChildEnd const& end) {
  if (counts.first_failed != nullptr) {
    return fmt::format("{} of {} shapes failed; first in {}", counts.failed, cases,
                       describe(*counts.first_failed));
  }
  if (conversation.bye() && !conversation.bye()->reason.empty()) {
    std::string const& where = conversation.bye()->failed_in;
    return (where.empty() ? "" : where + ": ") + printable(conversation.bye()->reason, 500);
  }
  std::string const log =
      end.last_log_line.empty() ? "" : "; last log line: " + printable(end.last_log_line, 200);
  return exit_reason(end) + log;
}

Verdict own_end(results::OpState const& state, Conversation const& conversation,
                ChildEnd const& end) {
  Tally const counts = tally(state.cases);
  bool const is_error = counts.failed > 0 || end.status.code.value_or(-1) != 0;
  if (is_error) {
    return {counts.with_numbers > 0 ? Status::partial : Status::failed,
            failure_reason(counts, state.cases.size(), conversation, end)};
  }
  if (!conversation.bye())
    return {counts.with_numbers > 0 ? Status::partial : Status::failed,
            "the child ended without a bye"};
  if (counts.with_numbers > 0) return {Status::passed, ""};
  if (conversation.bye()->skipped > 0 || counts.skipped > 0) {
    std::string const& reason = conversation.bye()->reason;
    return {Status::skipped, reason.empty() ? "skipped without a reason" : printable(reason, 500)};
  }
  return {Status::no_numbers, "ended without an error and measured nothing"};
}

std::string autotune_of(results::OpState const& state) {
  std::optional<Json> const identity = parse_json(state.identity_json);
  return identity ? string_field(*identity, "autotune").value_or("") : "";
}

void append(std::string& reason, std::string const& more) {
  reason += (reason.empty() ? "" : "; ") + more;
}

}  // namespace

results::OpResult conclude(Plan const& plan, results::OpState const& state,
                           Conversation const& conversation, ChildEnd const& end) {
  std::optional<Verdict> const forced = forced_end(plan, conversation, end);
  Verdict verdict = forced ? *forced : own_end(state, conversation, end);
  if (!conversation.foreign_modules().empty())
    append(verdict.reason, conversation.foreign_modules());
  if (conversation.broken_lines() > 0 && end.by != EndedBy::broken_protocol) {
    append(verdict.reason, fmt::format("{} broken protocol lines dropped, first: {}",
                                       conversation.broken_lines(), conversation.first_fault()));
  }
  results::OpResult result;
  result.op = plan.op;
  result.node = join(plan.nodes, " ");
  result.status = verdict.status;
  result.reason = verdict.reason;
  result.backend = plan.backend->name;
  if (plan.device) result.device = std::to_string(plan.device->index);
  std::string const timers = results::timers_used(state.cases);
  result.timer = timers.empty() ? plan.timer : timers;
  result.autotune = autotune_of(state);
  result.shapes = results::shapes_with_numbers(state.cases);
  result.speedup = results::mean_speedup(state.cases);
  if (std::optional<results::KernelCount> const kernels = results::count_kernels(state.kernels)) {
    result.kernels = kernels->kernels;
    result.convert_layouts = kernels->convert_layouts;
  }
  result.duration_s = end.duration_s;
  result.exit_status = end.status.code;
  result.signal = end.status.signal;
  result.phase = conversation.phase();
  result.phase_times_s = end.phase_times_s;
  result.attempts = state.attempts;
  result.run_dir = plan.run_dir.filename().string();
  return result;
}

}  // namespace zl::run
