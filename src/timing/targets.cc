#include "timing/targets.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace zl::timing {

namespace {

// What is demanded of a timer: of the line through its lengths, and of its repeats.
struct Demands {
  double slope_share;
  double residual_share;  // or residual_ns, whichever is more
  double residual_ns;
  double usual_repeat_share;  // of the median length
  double worst_repeat_share;
};
constexpr Demands kGraph{0.0010, 0.003, 20, 0.0020, 0.006};
constexpr Demands kDirect{0.0020, 0.005, 50, 0.0030, 0.010};

// Starting and ending a kernel is not in the null interval and takes this long.
constexpr double kLeastOffset_ns = 200;
constexpr double kMostOffset_ns = 1500;
constexpr double kOffsetApart_ns = 300;  // between two timers
constexpr double kNullSpread_ns = 50;
constexpr double kClockChange = 0.003;

Target told(std::string figure, double measured, char const* unit) {
  return {std::move(figure), measured, unit, "", "", {}};
}

Target demanded(std::string figure, double measured, char const* unit, std::string target,
                bool is_met) {
  return {std::move(figure), measured, unit, "", std::move(target), is_met};
}

Target share_at_most(std::string figure, double share, double most) {
  return demanded(std::move(figure), 100 * share, "%", fmt::format("<= {:g} %", 100 * most),
                  share <= most);
}

// The rung whose residual is the largest part of what is allowed there.
Target worst_residual(TimerFigures const& timer, Demands const& demands) {
  double worst = -1;
  Target target;
  for (Rung const& rung : timer.rungs) {
    if (!rung.truth_ns) continue;
    double const allowed = std::max(demands.residual_share * *rung.truth_ns, demands.residual_ns);
    double const part = std::abs(rung.residual_ns) / allowed;
    if (part <= worst) continue;
    worst = part;
    target = demanded(
        timer.timer + " worst residual", 100 * rung.residual_ns / *rung.truth_ns, "%",
        fmt::format("within {:g} % or {:g} ns", 100 * demands.residual_share, demands.residual_ns),
        part <= 1);
    target.where = rung.name;
  }
  return target;
}

void add_repeats(TimerFigures const& timer, Demands const& demands, std::vector<Target>* targets) {
  if (timer.rungs.empty()) return;
  std::vector<double> shares;
  Rung const* worst = &timer.rungs.front();
  for (Rung const& rung : timer.rungs) {
    shares.push_back(rung.repeatability);
    if (rung.repeatability > worst->repeatability) worst = &rung;
  }
  targets->push_back(share_at_most(timer.timer + " repeatability, median length", median(shares),
                                   demands.usual_repeat_share));
  targets->push_back(share_at_most(timer.timer + " repeatability, worst length",
                                   worst->repeatability, demands.worst_repeat_share));
  targets->back().where = worst->name;
}

void add_timer(TimerFigures const& timer, Demands const& demands, std::vector<Target>* targets) {
  if (timer.null) {
    targets->push_back(told(timer.timer + " null interval", timer.null->median_ns, "ns"));
    targets->push_back(demanded(timer.timer + " null interval's spread", timer.null->spread_ns,
                                "ns", fmt::format("<= {:g} ns", kNullSpread_ns),
                                timer.null->spread_ns <= kNullSpread_ns));
  }
  if (timer.slope) {
    targets->push_back(share_at_most(timer.timer + " slope's error", std::abs(*timer.slope - 1),
                                     demands.slope_share));
    targets->push_back(worst_residual(timer, demands));
  }
  add_repeats(timer, demands, targets);
}

}  // namespace

std::vector<Target> hold_against_targets(DeviceFigures const& figures) {
  std::vector<Target> targets{told("tick", figures.tick_ns, "ns")};
  if (figures.clock_mhz > 0) targets.push_back(told("clock", figures.clock_mhz, "MHz"));
  if (figures.clock_change > 0)
    targets.push_back(share_at_most("clock's change", figures.clock_change, kClockChange));
  std::optional<double> first_offset_ns;
  for (TimerFigures const& timer : figures.timers) {
    if (timer.timer == "host") {
      targets.push_back(told("host null interval, of a call", timer.null->median_ns, "ns"));
      continue;
    }
    add_timer(timer, timer.timer == "graph" ? kGraph : kDirect, &targets);
    if (!timer.offset_ns) continue;
    if (!first_offset_ns) {
      targets.push_back(
          demanded(timer.timer + " offset", *timer.offset_ns, "ns",
                   fmt::format("{:g} to {:g} ns", kLeastOffset_ns, kMostOffset_ns),
                   *timer.offset_ns >= kLeastOffset_ns && *timer.offset_ns <= kMostOffset_ns));
      first_offset_ns = timer.offset_ns;
      continue;
    }
    double const apart_ns = *timer.offset_ns - *first_offset_ns;
    targets.push_back(demanded(timer.timer + " offset from graph's", apart_ns, "ns",
                               fmt::format("within {:g} ns", kOffsetApart_ns),
                               std::abs(apart_ns) <= kOffsetApart_ns));
  }
  return targets;
}

}  // namespace zl::timing
