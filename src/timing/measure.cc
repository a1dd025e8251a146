#include "timing/measure.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "timing/back_off.h"
#include "timing/drift.h"
#include "timing/visits.h"

namespace zl::timing {

namespace {

// The clock gate: slices of 2 ms, long against the tick of the device's clock, until three in a row
// agree; from idle that takes some 5 to 20 ms.
constexpr std::int64_t kSlice_ns = 2'000'000;
constexpr int kMostSlices = 100;
constexpr int kSteadySlices = 3;
constexpr double kSteady = 0.005;

// Beyond this share of rejected bursts the device does not hold still for a result.
constexpr std::size_t kFewestBursts = 8;

double median_clock(std::vector<Burst> const& bursts) {
  std::vector<double> clocks;
  for (Burst const& burst : bursts) {
    if (burst.evidence.clock_mhz > 0) clocks.push_back(burst.evidence.clock_mhz);
  }
  return clocks.empty() ? 0 : median(clocks);
}

std::size_t count_samples(Record const& record) {
  std::size_t count = 0;
  for (Visit const& visit : record.visits) {
    for (Burst const& burst : visit.bursts) count += burst.intervals_ns.size();
  }
  return count;
}

bool drifts(Record const& record, Visit const& visit) {
  std::vector<double> starts;
  std::vector<double> values;
  for (Burst const& burst : visit.bursts) {
    if (burst.rejection != Rejection::none) continue;
    starts.push_back(burst.start_ns);
    values.push_back(quantile_of(burst.intervals_ns, record.quantile));
  }
  return is_drifting(starts, values);
}

double wall_ns(Visit const& visit) {
  double sum = 0;
  for (Burst const& burst : visit.bursts) sum += burst.wall_ns;
  return sum;
}

// One side within one visit.
class SideVisit {
 public:
  SideVisit(MeasuredSide const& side, MeasureParams const& params,
            backend::DeviceStateReader* device_state)
      : side_(side),
        params_(params),
        device_state_(device_state),
        index_(count_samples(*side.record)) {
    Record const& record = *side.record;
    rule_.start(params.stopping, record.null_ns / static_cast<double>(record.calls_per_sample));
  }
  ~SideVisit() {
    if (has_begun_) side_.source->end_visit();
  }
  SideVisit(SideVisit const&) = delete;
  SideVisit& operator=(SideVisit const&) = delete;

  DeviceResult<void> begin() {
    has_begun_ = true;
    return side_.source->begin_visit();
  }
  // After the clock gate's power comes the work's own: the first burst is not kept.
  DeviceResult<void> warm_up(Handle stream) {
    auto const burst = side_.source->run(stream);
    if (!burst) return tl::unexpected<DeviceError>(burst.error());
    return {};
  }
  bool done() const { return rule_.done() || is_hopeless(); }
  bool is_slowed_down() const {
    return !done() && visit_.bursts.back().rejection == Rejection::slowdown;
  }

  // One burst; how long the device is to idle before the next: as long as the calls kept it busy,
  // so that it keeps the state of a mixed load, less what the source does before that one begins.
  DeviceResult<double> step(HostEnvironment const& host, Handle stream) {
    auto const asked_ns = static_cast<double>(host.now_ns());
    auto burst = side_.source->run(stream);
    if (!burst) return tl::unexpected<DeviceError>(burst.error());
    visit_.bursts.push_back(std::move(*burst));
    Burst& last = visit_.bursts.back();
    ask_device_state(&last.evidence);
    last.rejection = judge(last.evidence, median_clock(visit_.bursts));
    if (last.rejection == Rejection::none) {
      rule_.add_burst(dithered_samples(*side_.record, last, index_),
                      {last.device_ns, last.wall_ns});
      visit_.is_power_capped = visit_.is_power_capped || last.evidence.is_power_capped;
    } else {
      ++rejected_;
    }
    index_ += last.intervals_ns.size();
    double const calls_ns =
        std::accumulate(last.intervals_ns.begin(), last.intervals_ns.end(), 0.0);
    return std::max(0.0, std::min(calls_ns, last.device_ns) - (last.start_ns - asked_ns));
  }
  void finish() {
    visit_.why = rule_.why();
    visit_.is_drifting = drifts(*side_.record, visit_);
    if (device_state_ != nullptr) visit_.temperature_c = device_state_->temperature_c();
    side_.record->visits.push_back(std::move(visit_));
  }

 private:
  void ask_device_state(BurstEvidence* evidence) {
    auto const state = device_state_ != nullptr ? device_state_->state() : std::nullopt;
    evidence->is_slowed_down = state && state->is_slowed_down;
    evidence->is_power_capped = state && state->is_power_capped;
  }
  bool is_hopeless() const {
    bool const is_too_many =
        visit_.bursts.size() >= kFewestBursts && 2 * rejected_ > visit_.bursts.size();
    return is_too_many || (rejected_ > 0 && wall_ns(visit_) >= params_.stopping.limit_wall_ns);
  }

  MeasuredSide const& side_;
  MeasureParams const& params_;
  backend::DeviceStateReader* device_state_;
  BurstStopping rule_;
  Visit visit_;
  std::size_t index_;  // of the next sample in the record
  std::size_t rejected_ = 0;
  bool has_begun_ = false;
};

using SideVisits = std::deque<SideVisit>;  // a deque: they are not moved

class Visiting {
 public:
  Visiting(Surroundings const& surroundings, std::span<MeasuredSide const> sides, Handle stream,
           MeasureParams const& params)
      : surroundings_(surroundings),
        sides_(sides.begin(), sides.end()),
        stream_(stream),
        params_(params),
        are_exclusive_(std::any_of(sides.begin(), sides.end(), [](MeasuredSide const& side) {
          return side.source->is_exclusive();
        })) {}

  DeviceResult<void> visit() {
    ZL_TRY_DEVICE(visit_once());
    auto const is_drifting = [](MeasuredSide const& side) {
      return side.record->visits.back().is_drifting;
    };
    if (std::any_of(sides_.begin(), sides_.end(), is_drifting)) {
      for (MeasuredSide const& side : sides_) side.record->visits.back().is_discarded = true;
      ZL_TRY_DEVICE(visit_once());
    }
    std::reverse(sides_.begin(), sides_.end());
    return {};
  }

 private:
  DeviceResult<void> visit_once() {
    std::span<MeasuredSide const> const sides(sides_);
    if (!are_exclusive_) return visit_together(sides);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      ZL_TRY_DEVICE(visit_together(sides.subspan(i, 1)));
    }
    return {};
  }

  DeviceResult<void> visit_together(std::span<MeasuredSide const> sides) {
    SideVisits visits;
    for (MeasuredSide const& side : sides) {
      ZL_TRY_DEVICE(visits.emplace_back(side, params_, surroundings_.device_state).begin());
    }
    back_off_.start_visit();
    ZL_TRY_DEVICE(warm_up(visits));
    auto const is_done = [](SideVisit const& visit) { return visit.done(); };
    auto const is_slow = [](SideVisit const& visit) { return visit.is_slowed_down(); };
    while (!std::all_of(visits.begin(), visits.end(), is_done)) {
      ZL_TRY_DEVICE(step(visits));
      if (std::none_of(visits.begin(), visits.end(), is_slow)) continue;
      auto const wait_ns = back_off_.next_ns();
      if (!wait_ns) break;
      surroundings_.host->sleep_ns(*wait_ns);
      ZL_TRY_DEVICE(warm_up(visits));
    }
    for (SideVisit& visit : visits) visit.finish();
    return {};
  }

  DeviceResult<void> warm_up(SideVisits& visits) {
    ZL_TRY_DEVICE(surroundings_.wait_for_steady_clock());
    for (SideVisit& visit : visits) {
      if (!visit.done()) ZL_TRY_DEVICE(visit.warm_up(stream_));
    }
    return {};
  }

  // A burst of each side.
  DeviceResult<void> step(SideVisits& visits) {
    for (SideVisit& visit : visits) {
      if (visit.done()) continue;
      auto const idle_ns = visit.step(*surroundings_.host, stream_);
      if (!idle_ns) return tl::unexpected<DeviceError>(idle_ns.error());
      surroundings_.host->sleep_ns(static_cast<std::int64_t>(*idle_ns));
    }
    return {};
  }

  Surroundings const& surroundings_;
  std::vector<MeasuredSide> sides_;
  Handle stream_;
  MeasureParams const& params_;
  bool are_exclusive_;
  BackOff back_off_;
};

std::optional<double> value_of_last_visit(Record const& record) {
  Record const alone{record.id,  record.tick_ns,         record.null_ns, record.calls_per_sample,
                     record.tau, {record.visits.back()}, record.quantile};
  auto const summary = summarise(alone);
  return summary ? std::optional(summary->value_ns) : std::nullopt;
}

}  // namespace

DeviceResult<double> wait_for_steady_clock(Session const& session, Handle stream) {
  if (!session.has_device_code()) return 0.0;
  std::vector<double> clocks;
  for (int i = 0; i < kMostSlices; ++i) {
    session.clear_stamps();
    ZL_TRY_DEVICE(session.stamp(stream, 0));
    ZL_TRY_DEVICE(
        session.spin(stream, kSlice_ns, static_cast<unsigned>(session.multiprocessors())));
    ZL_TRY_DEVICE(session.stamp(stream, 1));
    ZL_TRY_DEVICE(session.check(session.api().stream_synchronize(stream), "the clock gate"));
    clocks.push_back(session.clock_mhz());
    if (clocks.size() < kSteadySlices) continue;
    auto const [low, high] = std::minmax_element(clocks.end() - kSteadySlices, clocks.end());
    if (*high - *low < kSteady * *low) break;
  }
  return clocks.back();
}

DeviceResult<void> measure(Surroundings const& surroundings, std::span<MeasuredSide const> sides,
                           Handle stream, MeasureParams const& params) {
  Visiting visiting(surroundings, sides, stream, params);
  std::vector<std::vector<double>> values(sides.size());
  auto const visit = [&]() -> DeviceResult<void> {
    ZL_TRY_DEVICE(visiting.visit());
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (auto const value = value_of_last_visit(*sides[i].record)) values[i].push_back(*value);
    }
    return {};
  };
  ZL_TRY_DEVICE(visit());
  // What takes this long alone is not worth the same time again.
  auto const is_long = [&](MeasuredSide const& side) {
    return wall_ns(side.record->visits.back()) >= params.stopping.limit_wall_ns;
  };
  if (std::any_of(sides.begin(), sides.end(), is_long)) return {};
  ZL_TRY_DEVICE(visit());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (values[i].size() != 2) continue;
    if (do_visits_disagree(values[i][0], values[i][1], visit_tolerance(*sides[i].record))) {
      return visit();
    }
  }
  return {};
}

}  // namespace zl::timing
