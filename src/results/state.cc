#include "results/state.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"

namespace zl::results {

namespace {

std::string merged(std::string const& below, std::string const& above) {
  std::optional<Json> base = parse_json(below);
  std::optional<Json> const over = parse_json(above);
  if (!base || !base->is_object()) base = Json::object();
  if (over && over->is_object()) base->update(*over);
  return to_line(*base);
}

}  // namespace

Case* OpState::find_case(std::string const& id) {
  auto const found = index_by_case_.find(id);
  return found == index_by_case_.end() ? nullptr : &cases[found->second];
}

OpState* BatchState::find(std::string const& op) {
  auto const found = index_.find(op);
  return found == index_.end() ? nullptr : &operators_[found->second];
}

OpState const* BatchState::find(std::string const& op) const {
  auto const found = index_.find(op);
  return found == index_.end() ? nullptr : &operators_[found->second];
}

OpState& BatchState::at(std::string const& op) {
  auto const [place, is_new] = index_.emplace(op, operators_.size());
  if (is_new) {
    operators_.emplace_back();
    operators_.back().op = op;
  }
  return operators_[place->second];
}

void BatchState::drop_details(std::string const& op) {
  OpState* const state = find(op);
  if (state == nullptr) return;
  state->cases = {};
  state->kernels = {};
  state->index_by_case_ = {};
  state->identity_json = "{}";
}

void BatchState::apply(Event const& event) {
  if (auto const* e = std::get_if<BatchBegun>(&event)) {
    begun_ = *e;
  } else if (std::get_if<BatchResumed>(&event) != nullptr) {
    ended_.reset();
  } else if (auto const* run = std::get_if<RunBegun>(&event)) {
    OpState& state = at(run->op);
    int const attempts = state.attempts + 1;
    std::vector<AttemptEnded> earlier = std::move(state.earlier);
    state = OpState{};
    state.earlier = std::move(earlier);
    state.op = run->op;
    state.attempts = attempts;
    state.begun = *run;
  } else if (auto const* identity = std::get_if<IdentityKnown>(&event)) {
    OpState& state = at(identity->op);
    state.identity_json = merged(state.identity_json, identity->identity_json);
  } else if (auto const* begun = std::get_if<CaseBegun>(&event)) {
    OpState& state = at(begun->op);
    state.index_by_case_[begun->begun.id] = state.cases.size();
    state.cases.push_back(begun->begun);
  } else if (auto const* measured = std::get_if<Measured>(&event)) {
    Case* const in_case = at(measured->op).find_case(measured->measurement.case_id);
    if (in_case == nullptr) return;
    auto& slot =
        measured->measurement.side == Side::baseline ? in_case->baseline : in_case->candidate;
    slot = measured->measurement;
  } else if (auto const* ended = std::get_if<CaseEnded>(&event)) {
    Case* const in_case = at(ended->op).find_case(ended->case_id);
    if (in_case == nullptr) return;
    in_case->status = ended->status;
    in_case->phase = ended->phase;
    in_case->error = ended->error;
    in_case->metrics_json = ended->metrics_json;
  } else if (auto const* kernel = std::get_if<KernelSeen>(&event)) {
    at(kernel->op).kernels.push_back(kernel->kernel);
  } else if (auto const* note = std::get_if<Noted>(&event)) {
    (note->op.empty() ? notes_ : at(note->op).notes).push_back(*note);
  } else if (auto const* attempt = std::get_if<AttemptEnded>(&event)) {
    at(attempt->op).earlier.push_back(*attempt);
  } else if (auto const* run_ended = std::get_if<RunEnded>(&event)) {
    at(run_ended->result.op).result = run_ended->result;
  } else if (auto const* batch_ended = std::get_if<BatchEnded>(&event)) {
    ended_ = *batch_ended;
  }
}

int shapes_with_numbers(std::vector<Case> const& cases) {
  int count = 0;
  for (Case const& one : cases) count += one.has_numbers() ? 1 : 0;
  return count;
}

std::optional<double> mean_speedup(std::vector<Case> const& cases) {
  std::vector<double> ratios;
  for (Case const& one : cases) {
    std::optional<double> const ratio = one.speedup();
    bool const counts = ratio && one.status != CaseStatus::failed && one.baseline->is_of_device() &&
                        one.candidate->is_of_device();
    if (counts) ratios.push_back(*ratio);
  }
  return geometric_mean(ratios);
}

std::string timers_used(std::vector<Case> const& cases) {
  std::vector<std::pair<std::string, int>> counts;
  std::map<std::string, std::size_t> places;
  for (Case const& one : cases) {
    for (auto const* const measurement : {&one.baseline, &one.candidate}) {
      if (!*measurement) continue;
      std::string const& caliber = (*measurement)->caliber;
      std::string const timer = caliber.substr(0, caliber.find_first_of("/-"));
      auto const [place, is_new] = places.emplace(timer, counts.size());
      if (is_new) counts.emplace_back(timer, 0);
      ++counts[place->second].second;
    }
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](auto const& a, auto const& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (auto const& [timer, count] : counts) words.push_back(timer);
  return join(words, "+");
}

std::optional<KernelCount> count_kernels(std::vector<Kernel> const& kernels) {
  if (kernels.empty()) return std::nullopt;
  KernelCount count;
  std::set<std::string> seen;
  for (Kernel const& kernel : kernels) {
    if (!kernel.launched || kernel.side != Side::candidate) continue;
    std::string const key = kernel.hash.empty() ? kernel.name : kernel.hash;
    if (!seen.insert(key).second) continue;
    ++count.kernels;
    if (kernel.convert_layouts) {
      count.convert_layouts = count.convert_layouts.value_or(0) + *kernel.convert_layouts;
    }
  }
  return count;
}

}  // namespace zl::results
