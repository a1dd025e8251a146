#include "results/record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace zl::results {

namespace {

template <class Value, std::size_t N>
using Names = std::array<std::pair<Value, std::string_view>, N>;

constexpr Names<Side, 2> kSides{{{Side::baseline, "baseline"}, {Side::candidate, "candidate"}}};
constexpr Names<CaseStatus, 4> kCaseStatuses{{{CaseStatus::running, "running"},
                                              {CaseStatus::ok, "ok"},
                                              {CaseStatus::failed, "failed"},
                                              {CaseStatus::skipped, "skipped"}}};
constexpr Names<Status, 13> kStatuses{{{Status::passed, "passed"},
                                       {Status::partial, "partial"},
                                       {Status::failed, "failed"},
                                       {Status::skipped, "skipped"},
                                       {Status::no_numbers, "no_numbers"},
                                       {Status::crashed, "crashed"},
                                       {Status::timeout, "timeout"},
                                       {Status::log_overflow, "log_overflow"},
                                       {Status::protocol_error, "protocol_error"},
                                       {Status::wrong_vendor, "wrong_vendor"},
                                       {Status::unresolved, "unresolved"},
                                       {Status::not_started, "not_started"},
                                       {Status::interrupted, "interrupted"}}};

template <class Value, std::size_t N>
std::string_view name_of(Names<Value, N> const& names, Value value) {
  for (auto const& [known, name] : names) {
    if (known == value) return name;
  }
  return "unknown";
}

template <class Value, std::size_t N>
std::optional<Value> value_of(Names<Value, N> const& names, std::string_view text) {
  for (auto const& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Side side) {
  return name_of(kSides, side);
}
std::optional<Side> parse_side(std::string_view text) {
  return value_of(kSides, text);
}
std::string_view to_text(CaseStatus status) {
  return name_of(kCaseStatuses, status);
}
std::optional<CaseStatus> parse_case_status(std::string_view text) {
  return value_of(kCaseStatuses, text);
}
std::string_view to_text(Status status) {
  return name_of(kStatuses, status);
}
std::optional<Status> parse_status(std::string_view text) {
  return value_of(kStatuses, text);
}

bool is_failure(Status status) {
  return status != Status::passed && status != Status::skipped;
}

bool Measurement::is_of_device() const {
  auto const is_doubt = [](std::string const& flag) {
    return flag == "host_only" || flag == "false_graph";
  };
  return std::none_of(flags.begin(), flags.end(), is_doubt);
}

std::optional<double> Case::speedup() const {
  if (!baseline || !candidate || baseline->caliber != candidate->caliber) return std::nullopt;
  return baseline->value_ns / candidate->value_ns;
}

std::string reason_text(OpResult const& result) {
  if (result.cause.empty()) return result.reason;
  return "[" + result.cause + "] " + result.reason;
}

}  // namespace zl::results
