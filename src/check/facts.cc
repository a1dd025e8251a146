#include "check/facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace zl::check {

namespace {

constexpr FactName kNames[] = {
    {"status", "what zlbench made of the run: failed, crashed, timeout, skipped, passed, ..."},
    {"exit", "exit status of the child, a number"},
    {"signal", "signal that ended the child, a number"},
    {"phase", "of the failure: input, baseline, candidate, measure, metrics, collect, import"},
    {"backend", "name of the backend"},
    {"vendor", "the corpus' name of the vendor that was asked for"},
    {"torch_device", "torch's word for the device"},
    {"foreign_modules", "vendors whose modules were loaded beside the active one's"},
    {"foreign_frames", "vendors, other than the active one, in whose code the failure lies"},
    {"corpus_frames", "yes, no: is a frame of the corpus' own package in the failure"},
    {"corpus_place", "inside, outside: of the checkout, the corpus that was imported"},
    {"numbers", "yes, no: did any case give a number"},
    {"speedup", "one: within 2 % of 1 in all of three cases or more; else other"},
    {"speedup_mean", "a number"},
    {"candidate_kernels", "none, some: kernels that the candidate launched"},
    {"log", "missing, empty, binary, packed, cut, no-traceback, usable"},
    {"evidence",
     "none: neither a usable log, nor an exception, nor an end that says why; else some"},
    {"ask", "of an allocation: over-device, over-free, fits: what it asked against what there is"},
    {"memory_total_bytes", "of the device"},
    {"memory_free_bytes", "of the device when the run began"},
    {"shm_mib", "size of /dev/shm"},
    {"open_files_limit", "of the child"},
    {"triton_active", "number of compiler back ends that are active"},
    {"timer", "timer of the run"},
    {"trivial_alike", "yes, no: a trivial operator of the same batch failed in the same way"},
    {"others_alike", "how many other operators of the batch failed in the same way"},
    {"others_passed", "how many other operators of the batch passed"},
    {"slow_first_case", "yes, no: the first case took over ten times as long as the others"},
    {"lint", "rules of `zlbench lint` that fired on the operator's file"},
    {"seconds_import", "seconds before collection"},
    {"seconds_collect", "seconds in collection"},
    {"seconds_input", "seconds in making inputs"},
    {"seconds_baseline", "seconds in the baseline"},
    {"seconds_candidate", "seconds in the candidate"},
};

std::optional<double> number_of(std::string const& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool accepts(std::string const& wanted, std::string const& value) {
  if (wanted == "*") return !value.empty();
  bool const is_bound = wanted.size() > 1 && (wanted[0] == '<' || wanted[0] == '>');
  if (!is_bound) return wanted == value;
  std::optional<double> const bound = number_of(wanted.substr(1));
  std::optional<double> const number = number_of(value);
  if (!bound || !number) return false;
  return wanted[0] == '<' ? *number < *bound : *number > *bound;
}

}  // namespace

void Facts::set(std::string const& name, std::string value) {
  facts_[name] = {std::move(value)};
}

void Facts::add(std::string const& name, std::string value) {
  facts_[name].push_back(std::move(value));
}

std::vector<std::string> const* Facts::find(std::string_view name) const {
  auto const found = facts_.find(name);
  return found == facts_.end() ? nullptr : &found->second;
}

std::string Facts::text(std::string_view name) const {
  std::vector<std::string> const* const values = find(name);
  return values == nullptr ? "" : join(*values, ", ");
}

std::optional<bool> holds(Condition const& condition, Facts const& facts) {
  std::vector<std::string> const* const values = facts.find(condition.fact);
  if (values == nullptr) return std::nullopt;
  for (std::string const& wanted : condition.values) {
    for (std::string const& value : *values) {
      if (accepts(wanted, value)) return true;
    }
  }
  return false;
}

std::span<FactName const> fact_names() {
  return kNames;
}

}  // namespace zl::check
