#include "timing/engine_json.h"

#include <fmt/format.h>

#include "base/json.h"
#include "timing/pair.h"
#include "timing/record_json.h"

namespace zl::timing {

namespace {

Json null_json(std::optional<NullInterval> const& null) {
  if (!null) return Json();
  return {
      {"median_ns", null->median_ns}, {"spread_ns", null->spread_ns}, {"samples", null->samples}};
}

template <class T>
Json known(std::optional<T> const& value) {
  return value ? Json(*value) : Json();
}

Json census_json(std::optional<NodeCensus> const& census) {
  if (!census) return Json();
  return {{"kernels", census->kernels},
          {"copies", census->copies},
          {"memsets", census->memsets},
          {"host_calls", census->host_calls},
          {"others", census->others},
          {"refused", census->refused},
          {"fingerprint", fmt::format("{:016x}", census->fingerprint)}};
}

Json timing_json(DeviceTiming const& timing) {
  return {{"caliber", timing.caliber},
          {"fallback", timing.fallback},
          {"flags", timing.flags},
          {"samples_per_burst", timing.samples_per_burst},
          {"summary", *parse_json(to_json_line(timing.summary))},
          {"record", *parse_json(to_json_line(timing.record))},
          {"census", census_json(timing.census)}};
}

std::optional<PairSummary> pair_of(DeviceTimings const& timings) {
  if (timings.size() != 2 || timings[0].caliber != timings[1].caliber) return std::nullopt;
  return summarise_pair(timings[0].record, timings[1].record);
}

}  // namespace

std::string to_json_line(DeviceError const& error) {
  return to_line({{"error",
                   {{"text", error.text},
                    {"reason", error.reason},
                    {"class", to_text(error.status_class)},
                    {"status", error.status}}}});
}

std::string to_json_line(Calibration const& calibration) {
  return to_line({{"tick_ns", calibration.tick_ns},
                  {"clock_mhz", calibration.clock_mhz},
                  {"graph_null", null_json(calibration.graph_null)},
                  {"graph_missing", calibration.graph_missing},
                  {"graph_nop", null_json(calibration.graph_nop)},
                  {"direct_null", null_json(calibration.direct_null)},
                  {"direct_mode", calibration.direct_mode}});
}

std::string to_json_line(DeviceTimings const& timings) {
  Json list = Json::array();
  for (DeviceTiming const& timing : timings) list.push_back(timing_json(timing));
  Json json{{"timings", std::move(list)}};
  if (auto const pair = pair_of(timings)) json["pair"] = *parse_json(to_json_line(*pair));
  return to_line(json);
}

std::string describe_json_line(Session const& session) {
  return to_line({{"library", session.runtime().library},
                  {"missing", session.runtime().missing},
                  {"driver_version", session.driver_version()},
                  {"multiprocessors", session.multiprocessors()},
                  {"cache_bytes", session.cache_bytes()},
                  {"flush_bytes", session.flush_bytes()},
                  {"flush_ns", session.flush_ns()},
                  {"has_device_code", session.has_device_code()},
                  {"has_stream_wait", session.flag() != nullptr},
                  {"persisting_bytes", known(session.found_persisting_bytes())},
                  {"device_state_ns", known(session.state_read_ns())}});
}

std::string escape_json_line(std::string const& escape) {
  return to_line({{"escape", escape}});
}

std::string describe_host_json_line() {
  return to_line({{"library", ""},
                  {"missing", Json::array()},
                  {"has_device_code", false},
                  {"has_stream_wait", false}});
}

}  // namespace zl::timing
