#include "native/case_run.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "timing/pair.h"
#include "timing/record_json.h"

namespace zl::native {

namespace {

using nlohmann::json;

// Fixed, so that two runs have the same inputs.
constexpr std::uint64_t kSeed = 0x7a6c62656e6368;

constexpr std::array<char const*, 2> kSideNames = {"baseline", "candidate"};

CaseOutcome failed(std::string phase, std::string error) {
  return {"failed", std::move(phase), std::move(error), json::object()};
}

CaseOutcome skipped(std::string reason) {
  return {"skipped", "", std::move(reason), json::object()};
}

// One prepared case: the plug-in's state, destroyed with this.
class Prepared {
 public:
  Prepared(Operator const& op, void* state) : functions_(op.functions), state_(state) {}
  Prepared(Prepared const&) = delete;
  Prepared& operator=(Prepared const&) = delete;
  ~Prepared() { functions_.destroy(state_); }

  timing::TimedCall call_of(std::size_t side) const {
    return {side == ZLBENCH_BASELINE ? functions_.baseline : functions_.candidate, state_};
  }
  std::string last_error() const {
    char const* const text =
        functions_.last_error == nullptr ? nullptr : functions_.last_error(state_);
    return text == nullptr ? "the operator gave no reason" : printable(text);
  }
  int check(std::size_t side, zlbench_check& result) const {
    return functions_.check(state_, static_cast<std::uint32_t>(side), &result);
  }

 private:
  zlbench_operator const& functions_;
  void* state_;
};

CaseOutcome call_failed(Prepared const& prepared, std::size_t side) {
  return failed(kSideNames[side], fmt::format("CallError: {}", prepared.last_error()));
}

// What is wrong with the output of the last call of `side`; empty when it is right.
std::optional<CaseOutcome> check_output(Prepared const& prepared, std::size_t side,
                                        zlbench_check& result) {
  result = {};
  result.struct_size = sizeof(result);
  if (prepared.check(side, result) != ZLBENCH_OK) {
    return failed("check", fmt::format("CheckError: the check of the {} could not be made: {}",
                                       kSideNames[side], prepared.last_error()));
  }
  bool const is_right = std::isfinite(result.max_abs_error) && result.max_rel_error >= 0 &&
                        result.max_rel_error <= result.tolerance && std::isfinite(result.tolerance);
  if (is_right && result.passed == 1) return std::nullopt;
  return failed(
      "check",
      fmt::format("CheckError: the {} differs from the float64 reference: relative error "
                  "{:.3g}, tolerance {:.3g}, absolute error {:.3g}{}",
                  kSideNames[side], result.max_rel_error, result.tolerance, result.max_abs_error,
                  is_right ? ", and the operator's own verdict is 'failed'" : ""));
}

std::optional<CaseOutcome> call_and_check(Prepared const& prepared, std::size_t side,
                                          zlbench_check& result) {
  timing::TimedCall const call = prepared.call_of(side);
  if (call.call(call.state) != ZLBENCH_OK) return call_failed(prepared, side);
  return check_output(prepared, side, result);
}

void send_measurement(Channel& channel, Case const& item, std::size_t side,
                      timing::DeviceTiming const& timing, bool was_quiet) {
  timing::Summary const& summary = timing.summary;
  json message = {{"type", "measurement"},
                  {"case", item.name},
                  {"side", kSideNames[side]},
                  {"caliber", timing.caliber},
                  {"value_ns", summary.value_ns},
                  {"raw", {{"value", summary.value_ns}, {"unit", "ns"}}},
                  {"samples", summary.samples},
                  {"timing",
                   {{"summary", *parse_json(timing::to_json_line(summary))},
                    {"record", *parse_json(timing::to_json_line(timing.record))},
                    {"lease", {{"others", channel.board().others()}, {"was_quiet", was_quiet}}}}}};
  if (summary.interval_ns) {
    message["ci_low_ns"] = summary.interval_ns->low;
    message["ci_high_ns"] = summary.interval_ns->high;
  }
  std::vector<std::string> flags = summary.flags;
  flags.insert(flags.end(), timing.flags.begin(), timing.flags.end());
  if (!flags.empty()) message["flags"] = flags;
  channel.send(message);
}

json metrics_of(Case const& item, timing::DeviceTimings const& timings,
                zlbench_check const& check) {
  json metrics = {{"max_abs_error", check.max_abs_error},
                  {"max_rel_error", check.max_rel_error},
                  {"tolerance", check.tolerance}};
  constexpr std::array<char const*, 2> kPrefixes = {"baseline_", ""};
  for (std::size_t side = 0; side < kPrefixes.size(); ++side) {
    double const ns = timings[side].summary.value_ns;
    std::string const prefix = kPrefixes[side];
    if (item.flops > 0) metrics[prefix + "tflops"] = item.flops / ns / 1e3;
    if (item.bytes > 0) metrics[prefix + "gbps"] = item.bytes / ns;
  }
  auto const pair =
      timing::summarise_pair(timings[ZLBENCH_BASELINE].record, timings[ZLBENCH_CANDIDATE].record);
  if (pair && pair->interval) {
    metrics["speedup_low"] = pair->interval->low;
    metrics["speedup_high"] = pair->interval->high;
  }
  return metrics;
}

timing::Work work_of(Prepared const& prepared, Case const& item, std::size_t side) {
  timing::Work work;
  work.id = fmt::format("{}/{}", item.name, kSideNames[side]);
  work.calls.call = prepared.call_of(side);
  return work;
}

CaseOutcome not_measured(Prepared const& prepared, timing::HostEngine const& engine,
                         timing::DeviceError const& error) {
  if (std::string_view(error.reason) == timing::kStopped)
    return skipped("stopped while it was timed");
  if (engine.failed_work()) return call_failed(prepared, *engine.failed_work());
  return failed("measure", "TimingError: " + error.text);
}

CaseOutcome time_case(Prepared const& prepared, Case const& item, timing::HostEngine& engine,
                      Channel& channel) {
  timing::Epochs others;
  channel.board().show(others);
  std::uint64_t const before = others.read();
  auto const timings = engine.measure(
      {work_of(prepared, item, ZLBENCH_BASELINE), work_of(prepared, item, ZLBENCH_CANDIDATE)}, {});
  bool const was_quiet = others.read() == before;
  if (!timings) return not_measured(prepared, engine, timings.error());
  zlbench_check check{};
  for (std::size_t side = 0; side < kSideNames.size(); ++side) {
    if ((*timings)[side].summary.value_ns <= 0) {
      return failed(kSideNames[side], "TimingError: a call takes no time that can be measured");
    }
    if (auto wrong = check_output(prepared, side, check)) {
      wrong->error += " (after timing: a call must leave the same output each time)";
      return *wrong;
    }
  }
  for (std::size_t side = 0; side < kSideNames.size(); ++side) {
    send_measurement(channel, item, side, (*timings)[side], was_quiet);
  }
  CaseOutcome outcome;
  outcome.metrics = metrics_of(item, *timings, check);
  return outcome;
}

}  // namespace

CaseOutcome run_case(Operator const& op, Case const& item, EngineSource const& engine,
                     Channel& channel) {
  channel.share_device();  // without a parent the case is made and checked all the same
  std::array<char, 512> reason{};
  void* state = nullptr;
  int const status = op.functions.create(item.index, kSeed, &state, reason.data(), reason.size());
  reason.back() = '\0';
  if (status != ZLBENCH_OK) {
    std::string const why =
        reason[0] == '\0' ? "the operator gave no reason" : printable(&reason[0]);
    if (status == ZLBENCH_UNSUPPORTED) return skipped(why);
    return failed("input", fmt::format("CreateError: {}", why));
  }
  Prepared const prepared(op, state);
  zlbench_check check{};
  for (std::size_t side = 0; side < kSideNames.size(); ++side) {
    if (auto wrong = call_and_check(prepared, side, check)) return *wrong;
  }
  if (!channel.acquire_lease()) return skipped("not timed: the parent gave no lease");
  return time_case(prepared, item, engine(), channel);
}

}  // namespace zl::native
