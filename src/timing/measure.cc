#include "timing/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

bool drifts(Visit const& visit) {
  std::vector<double> starts;
  std::vector<double> medians;
  for (Burst const& burst : visit.bursts) {
    if (burst.rejection != Rejection::none) continue;
    starts.push_back(burst.start_ns);
    medians.push_back(median(burst.intervals_ns));
  }
  return is_drifting(starts, medians);
}

double wall_ns(Visit const& visit) {
  double sum = 0;
  for (Burst const& burst : visit.bursts) sum += burst.wall_ns;
  return sum;
}

class Visiting {
 public:
  Visiting(Session const& session, BurstSource& source, Handle stream, MeasureParams const& params,
           Record* record)
      : session_(session), source_(source), stream_(stream), params_(params), record_(record) {}

  DeviceResult<void> visit() {
    ZL_TRY_DEVICE(source_.prepare());
    auto const clock = wait_for_steady_clock(session_, stream_);
    if (!clock) return tl::unexpected<DeviceError>(clock.error());
    ZL_TRY_DEVICE(source_.run(stream_));  // after the gate's power comes the work's own
    Visit visit;
    std::size_t index = count_samples(*record_);
    BurstStopping rule;
    rule.start(params_.stopping, record_->null_ns / static_cast<double>(record_->calls_per_sample));
    std::size_t rejected = 0;
    while (!rule.done() && !is_hopeless(visit, rejected)) {
      auto burst = source_.run(stream_);
      if (!burst) return tl::unexpected<DeviceError>(burst.error());
      visit.bursts.push_back(std::move(*burst));
      Burst& last = visit.bursts.back();
      last.rejection = judge(last.evidence, median_clock(visit.bursts));
      if (last.rejection == Rejection::none) {
        rule.add_burst(dithered_samples(*record_, last, index), {last.device_ns, last.wall_ns});
      } else {
        ++rejected;
      }
      index += last.intervals_ns.size();
      // As long idle as busy: the device keeps the state of a mixed load.
      if (!rule.done()) session_.host().sleep_ns(static_cast<std::int64_t>(last.device_ns));
    }
    visit.why = rule.why();
    visit.is_drifting = drifts(visit);
    record_->visits.push_back(std::move(visit));
    return {};
  }

 private:
  bool is_hopeless(Visit const& visit, std::size_t rejected) const {
    bool const is_too_many =
        visit.bursts.size() >= kFewestBursts && 2 * rejected > visit.bursts.size();
    return is_too_many || (rejected > 0 && wall_ns(visit) >= params_.stopping.limit_wall_ns);
  }

  Session const& session_;
  BurstSource& source_;
  Handle stream_;
  MeasureParams const& params_;
  Record* record_;
};

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

DeviceResult<void> measure(Session const& session, BurstSource& source, Handle stream,
                           MeasureParams const& params, Record* record) {
  Visiting visiting(session, source, stream, params, record);
  std::vector<double> medians;  // of the visits that count
  auto const visit = [&]() -> DeviceResult<void> {
    ZL_TRY_DEVICE(visiting.visit());
    if (record->visits.back().is_drifting) {
      record->visits.back().is_discarded = true;
      ZL_TRY_DEVICE(visiting.visit());
    }
    Record alone = *record;
    alone.visits = {record->visits.back()};
    if (auto const summary = summarise(alone)) medians.push_back(summary->median_ns);
    return {};
  };
  ZL_TRY_DEVICE(visit());
  // What takes this long alone is not worth the same time again.
  if (wall_ns(record->visits.back()) >= params.stopping.limit_wall_ns) return {};
  ZL_TRY_DEVICE(visit());
  bool const is_split =
      medians.size() == 2 && do_visits_disagree(medians[0], medians[1], record->tau);
  if (is_split) ZL_TRY_DEVICE(visit());
  return {};
}

}  // namespace zl::timing
