#include "timing/record_form.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace zl::timing {

namespace {

constexpr double kMostSteps = 9'007'199'254'740'992;  // 2^53: beyond, a double skips numbers
constexpr double kFloat = 1.2e-7;                     // of a value: the step of a float

template <class Claim>
bool holds_for_intervals(Record const& record, Claim const& claim) {
  for (Visit const& visit : record.visits) {
    for (Burst const& burst : visit.bursts) {
      if (!std::all_of(burst.intervals_ns.begin(), burst.intervals_ns.end(), claim)) return false;
    }
  }
  return true;
}

bool fits(double value, double unit) {
  return from_steps(to_steps(value, unit), unit) == value;
}

bool nearly_fits(double value, double unit) {
  double const slack = kFloat * std::abs(value) + kFine_ns / 2;
  return slack <= unit / 4 && std::abs(from_steps(to_steps(value, unit), unit) - value) <= slack;
}

double rounded(double value, double unit) {
  return from_steps(to_steps(value, unit), unit);
}

void normalise(Burst* burst, double unit_ns) {
  for (double& interval : burst->intervals_ns) interval = rounded(interval, unit_ns);
  burst->start_ns = rounded(burst->start_ns, kStart_ns);
  burst->evidence.clock_mhz = std::max(0.0, rounded(burst->evidence.clock_mhz, kClock_mhz));
  if (!burst->host_ns.empty()) {
    burst->host_ns = {std::max(0.0, rounded(median(burst->host_ns), kHost_ns))};
  }
}

}  // namespace

std::int64_t to_steps(double value, double unit) {
  double const steps = unit < 1 ? value * std::round(1 / unit) : value / unit;
  if (std::isnan(steps)) return 0;
  return std::llround(std::clamp(steps, -kMostSteps, kMostSteps));
}

double from_steps(std::int64_t steps, double unit) {
  // The decimal parts are no doubles; a division by 100 gives 0.07 where 7 * 0.01 does not.
  auto const count = static_cast<double>(steps);
  return unit < 1 ? count / std::round(1 / unit) : count * unit;
}

double interval_unit_ns(Record const& record) {
  for (double const unit : {record.tick_ns, 1.0}) {
    if (unit >= 1 && holds_for_intervals(record, [&](double value) { return fits(value, unit); })) {
      return unit;
    }
  }
  return kFine_ns;
}

Record normalised(Record record) {
  record.id = to_valid_utf8(record.id);
  double unit_ns = interval_unit_ns(record);
  bool const is_of_ticks = record.tick_ns >= 1 && holds_for_intervals(record, [&](double value) {
                             return nearly_fits(value, record.tick_ns);
                           });
  if (unit_ns == kFine_ns && is_of_ticks) unit_ns = record.tick_ns;
  for (Visit& visit : record.visits) {
    for (Burst& burst : visit.bursts) normalise(&burst, unit_ns);
  }
  return record;
}

}  // namespace zl::timing
