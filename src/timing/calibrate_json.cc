#include "timing/calibrate_json.h"

#include "base/json.h"

namespace zl::timing {

namespace {

// A figure that there is not is absent.
template <class Value>
void add(Json& object, char const* name, std::optional<Value> const& value) {
  if (value) object[name] = *value;
}

void add_text(Json& object, char const* name, std::string const& text) {
  if (!text.empty()) object[name] = text;
}

Json rung_json(Rung const& rung, bool has_line) {
  Json object{{"name", rung.name}, {"net_ns", rung.net_ns}, {"repeatability", rung.repeatability}};
  add(object, "truth_ns", rung.truth_ns);
  if (has_line && rung.truth_ns) object["residual_ns"] = rung.residual_ns;
  return object;
}

Json timer_json(TimerFigures const& timer) {
  Json object{{"timer", timer.timer}, {"caliber", timer.caliber}, {"lengths", Json::array()}};
  add_text(object, "fallback", timer.fallback);
  if (timer.null) {
    object["null_ns"] = timer.null->median_ns;
    object["null_spread_ns"] = timer.null->spread_ns;
  }
  add(object, "slope", timer.slope);
  add(object, "offset_ns", timer.offset_ns);
  for (Rung const& rung : timer.rungs)
    object["lengths"].push_back(rung_json(rung, timer.slope.has_value()));
  return object;
}

Json target_json(Target const& target) {
  Json object{{"figure", target.figure}, {"measured", target.measured}, {"unit", target.unit}};
  add_text(object, "where", target.where);
  add_text(object, "target", target.target);
  add(object, "is_met", target.is_met);
  return object;
}

}  // namespace

std::string to_json_line(DeviceFigures const& figures) {
  Json object{{"tick_ns", figures.tick_ns}, {"timers", Json::array()}, {"targets", Json::array()}};
  if (figures.clock_mhz > 0) object["clock_mhz"] = figures.clock_mhz;
  if (figures.clock_change > 0) object["clock_change"] = figures.clock_change;
  add_text(object, "no_spins", figures.no_spins);
  add_text(object, "no_graph", figures.no_graph);
  for (TimerFigures const& timer : figures.timers) object["timers"].push_back(timer_json(timer));
  for (Target const& target : hold_against_targets(figures))
    object["targets"].push_back(target_json(target));
  return to_line(object);
}

}  // namespace zl::timing
