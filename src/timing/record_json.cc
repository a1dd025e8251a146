#include "timing/record_json.h"

#include "base/json.h"

namespace zl::timing {

namespace {

constexpr Rejection kRejections[] = {Rejection::none, Rejection::early_release,
                                     Rejection::host_bound, Rejection::epoch, Rejection::clock};
constexpr BurstStop kStops[] = {BurstStop::none, BurstStop::interval, BurstStop::max_device,
                                BurstStop::max_wall};

template <class T, std::size_t N>
T from_text(T const (&values)[N], std::string const& text) {
  for (T const value : values) {
    if (to_text(value) == text) return value;
  }
  return values[0];
}

Json burst_json(Burst const& burst) {
  Json json{{"samples_ns", burst.intervals_ns}, {"start_ns", burst.start_ns}};
  if (!burst.host_ns.empty()) json["host_ns"] = burst.host_ns;
  if (burst.evidence.clock_mhz > 0) json["clock_mhz"] = burst.evidence.clock_mhz;
  if (burst.rejection != Rejection::none) json["rejected"] = to_text(burst.rejection);
  return json;
}

Burst parse_burst(Json const& json) {
  Burst burst;
  burst.intervals_ns = json.at("samples_ns").get<std::vector<double>>();
  burst.start_ns = json.at("start_ns").get<double>();
  burst.host_ns = json.value("host_ns", std::vector<double>());
  burst.evidence.clock_mhz = json.value("clock_mhz", 0.0);
  burst.rejection = from_text(kRejections, json.value("rejected", std::string("none")));
  return burst;
}

Json visit_json(Visit const& visit) {
  Json bursts = Json::array();
  for (Burst const& burst : visit.bursts) bursts.push_back(burst_json(burst));
  Json json{{"stop", to_text(visit.why)}, {"bursts", std::move(bursts)}};
  if (visit.is_discarded) json["discarded"] = true;
  if (visit.is_drifting) json["drifting"] = true;
  return json;
}

Visit parse_visit(Json const& json) {
  Visit visit;
  visit.why = from_text(kStops, json.at("stop").get<std::string>());
  visit.is_discarded = json.value("discarded", false);
  visit.is_drifting = json.value("drifting", false);
  for (Json const& burst : json.at("bursts")) visit.bursts.push_back(parse_burst(burst));
  return visit;
}

}  // namespace

std::string to_json_line(Record const& record) {
  Json visits = Json::array();
  for (Visit const& visit : record.visits) visits.push_back(visit_json(visit));
  return to_line({{"id", record.id},
                  {"tick_ns", record.tick_ns},
                  {"null_ns", record.null_ns},
                  {"calls_per_sample", record.calls_per_sample},
                  {"tau", record.tau},
                  {"visits", std::move(visits)}});
}

std::optional<Record> parse_record(std::string_view text) {
  auto const json = parse_json(text);
  if (!json) return std::nullopt;
  try {
    Record record;
    record.id = json->at("id").get<std::string>();
    record.tick_ns = json->at("tick_ns").get<double>();
    record.null_ns = json->at("null_ns").get<double>();
    record.calls_per_sample = json->at("calls_per_sample").get<std::size_t>();
    record.tau = json->at("tau").get<double>();
    for (Json const& visit : json->at("visits")) record.visits.push_back(parse_visit(visit));
    return record;
  } catch (Json::exception const&) {
    return std::nullopt;
  }
}

std::string to_json_line(Summary const& summary) {
  Json json{{"median_ns", summary.median_ns},
            {"min_ns", summary.min_ns},
            {"p5_ns", summary.p5_ns},
            {"p25_ns", summary.p25_ns},
            {"p75_ns", summary.p75_ns},
            {"p95_ns", summary.p95_ns},
            {"p99_ns", summary.p99_ns},
            {"max_ns", summary.max_ns},
            {"far_out", summary.far_out},
            {"samples", summary.samples},
            {"bursts", summary.bursts},
            {"rejected_bursts", summary.rejected_bursts},
            {"visit_medians_ns", summary.visit_medians_ns},
            {"flags", summary.flags}};
  json["ci95_ns"] = nullptr;
  if (summary.interval_ns) json["ci95_ns"] = {summary.interval_ns->low, summary.interval_ns->high};
  json["clock_mhz"] = summary.clock_mhz > 0 ? Json(summary.clock_mhz) : Json();
  json["host_ns"] = summary.host_ns ? Json(*summary.host_ns) : Json();
  return to_line(json);
}

}  // namespace zl::timing
