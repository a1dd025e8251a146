#include "batch/retry.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"

namespace zl::batch {

namespace {

constexpr std::size_t kMostRetries = 2;  // of one operator, whatever the causes

char const* const kAlone = "alone";
char const* const kPrivateCache = "private_cache";
char const* const kDirectTimer = "direct_timer";
char const* const kElsewhere = "another_device";

bool says_out_of_memory(std::string const& text) {
  std::string const lower = to_lower(text);
  return lower.find("out of memory") != std::string::npos ||
         lower.find("outofmemory") != std::string::npos;
}

bool is_out_of_memory(results::OpResult const& result, results::OpState const& state) {
  return says_out_of_memory(result.reason) ||
         std::any_of(state.cases.begin(), state.cases.end(), [](results::Case const& one) {
           return one.status == results::CaseStatus::failed && says_out_of_memory(one.error);
         });
}

bool has_change(std::vector<results::AttemptEnded> const& earlier, std::string const& word) {
  return std::any_of(earlier.begin(), earlier.end(), [&](results::AttemptEnded const& one) {
    return std::find(one.changes.begin(), one.changes.end(), word) != one.changes.end();
  });
}

std::optional<Retry> after_crash(AttemptFacts const& facts) {
  Retry retry{"a crash may come from a damaged cache or a captured graph", {}};
  if (facts.is_corpus && !facts.trial.has_private_cache) retry.changes.push_back(kPrivateCache);
  if (facts.could_capture && !facts.trial.has_direct_timer) retry.changes.push_back(kDirectTimer);
  if (retry.changes.empty()) return std::nullopt;
  return retry;
}

}  // namespace

std::optional<Retry> retry_of(results::OpResult const& result, results::OpState const& state,
                              AttemptFacts const& facts) {
  using results::Status;
  if (state.earlier.size() >= kMostRetries) return std::nullopt;
  bool const may_be_helped = result.status == Status::crashed || result.status == Status::failed ||
                             result.status == Status::partial ||
                             result.status == Status::interrupted;
  if (!may_be_helped) return std::nullopt;
  if (facts.has_lost_device) return Retry{"its device was lost", {kElsewhere}};
  bool const had_company = facts.was_beside_others && !facts.trial.is_alone;
  if (had_company && is_out_of_memory(result, state)) {
    return Retry{"the others on its device held memory too", {kAlone}};
  }
  if (result.status != Status::crashed) return std::nullopt;
  if (facts.is_killed_by_system) {
    if (!had_company) return std::nullopt;
    return Retry{"the system killed it, for want of memory as a rule", {kAlone}};
  }
  return after_crash(facts);
}

Trial next_trial(std::vector<results::AttemptEnded> const& earlier) {
  return {has_change(earlier, kAlone), has_change(earlier, kPrivateCache),
          has_change(earlier, kDirectTimer)};
}

std::string told(std::vector<results::AttemptEnded> const& earlier) {
  std::vector<std::string> parts;
  for (results::AttemptEnded const& one : earlier) {
    parts.push_back(fmt::format("attempt {} {}: {}; again with {}", one.attempt,
                                results::to_text(one.status), printable(one.reason, 200),
                                join(one.changes, ", ")));
  }
  return join(parts, "; ");
}

}  // namespace zl::batch
