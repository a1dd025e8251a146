#include "timing/calibrate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "base/text.h"
#include "timing/host_engine.h"
#include "timing/spin_chain.h"
#include "timing/timing_graph.h"

namespace zl::timing {

namespace {

double spread(std::vector<double> const& values) {
  auto const [low, high] = std::minmax_element(values.begin(), values.end());
  double const middle = median(values);
  return middle > 0 ? (*high - *low) / middle : 0;
}

double variation(std::vector<double> const& values) {
  if (values.size() < 2) return 0;
  double sum = 0, squares = 0;
  for (double const value : values) sum += value;
  double const mean = sum / static_cast<double>(values.size());
  for (double const value : values) squares += (value - mean) * (value - mean);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean : 0;
}

// Least squares with weights 1 / truth^2: the relative error counts, at 2 us as at 10 ms.
void fit(TimerFigures* timer) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  std::size_t known = 0;
  for (Rung const& rung : timer->rungs) {
    if (!rung.truth_ns) continue;
    ++known;
    double const x = *rung.truth_ns;
    double const weight = 1 / (x * x);
    w += weight;
    wx += weight * x;
    wy += weight * rung.net_ns;
    wxx += weight * x * x;
    wxy += weight * x * rung.net_ns;
  }
  if (known < 3) return;
  timer->slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  timer->offset_ns = (wy - *timer->slope * wx) / w;
  for (Rung& rung : timer->rungs) {
    if (!rung.truth_ns) continue;
    rung.residual_ns = rung.net_ns - *timer->offset_ns - *timer->slope * *rung.truth_ns;
  }
}

// What is measured: a chain of a length, or where there is no chain a flush of the cache.
class Load {
 public:
  Load(Session const& session, SpinChain const* chain, Handle stream, double length_ns,
       std::uint64_t steps)
      : session_(session), chain_(chain), stream_(stream), steps_(steps) {
    name_ = chain == nullptr ? fmt::format("flush {} MiB", session.flush_bytes() >> 20)
                             : fmt::format("spin {:g} us", length_ns / 1e3);
  }
  ~Load() {
    if (graph_ != nullptr) session_.api().graph_destroy(graph_);
  }
  Load(Load const&) = delete;
  Load& operator=(Load const&) = delete;

  std::string const& name() const { return name_; }

  DeviceResult<Work> captured() {
    if (graph_ == nullptr) {
      ZL_TRY_DEVICE(session_.check(session_.api().graph_create(&graph_, 0), "creating a graph"));
      Handle after = nullptr;
      ZL_TRY_DEVICE(chain_ == nullptr ? session_.add_flush(graph_, &after)
                                      : chain_->add(graph_, steps_));
    }
    Work work;
    work.id = name_;
    work.graph = graph_;
    return work;
  }

  Work called() {
    Work work;
    work.id = name_;
    work.calls.call = {&Load::submit, this};
    return work;
  }

  DeviceResult<void> submit() const {
    return chain_ == nullptr ? session_.flush(stream_) : chain_->launch(stream_, steps_);
  }

 private:
  static int submit(void* self) { return static_cast<Load*>(self)->submit() ? 0 : 1; }

  Session const& session_;
  SpinChain const* chain_;
  Handle stream_;
  std::uint64_t steps_;
  std::string name_;
  Handle graph_ = nullptr;
};

class DeviceCalibration {
 public:
  DeviceCalibration(Engine& engine, Handle stream, CalibrateParams const& params)
      : engine_(engine), stream_(stream), params_(params), chain_(engine.session()) {}

  DeviceResult<DeviceFigures> run(std::function<void(int)> const& tell) {
    ZL_TRY_DEVICE(begin());
    for (int repeat = 0; repeat < params_.repeats; ++repeat) {
      // There and back, so that a slow change does not lie along the lengths.
      for (std::size_t i = 0; i < loads_.size(); ++i) {
        ZL_TRY_DEVICE(measure(repeat % 2 == 0 ? i : loads_.size() - 1 - i));
      }
      tell(repeat + 1);
    }
    finish();
    return figures_;
  }

 private:
  // Of one load through one timer, one value a repeat.
  struct Values {
    std::vector<double> net_ns;
    std::vector<double> truth_ns;
  };

  DeviceResult<void> begin() {
    auto const known = engine_.calibrate(stream_);
    if (!known) return tl::unexpected<DeviceError>(known.error());
    figures_.tick_ns = known->tick_ns;
    figures_.clock_mhz = known->clock_mhz;
    Session const& session = engine_.session();
    bool const has_chain = SpinChain::is_possible(session);
    bool const has_graphs = session.runtime().features().graphs &&
                            (has_chain || session.api().graph_add_memset != nullptr);
    if (has_graphs) figures_.timers.push_back({"graph", "", "", known->graph_null, {}, {}, {}});
    if (!has_graphs) figures_.no_graph = "the runtime cannot compose graphs";
    figures_.timers.push_back({"direct", "", "", known->direct_null, {}, {}, {}});
    if (has_chain) {
      ZL_TRY_DEVICE(chain_.prepare(stream_));
      for (double const us : params_.lengths_us) {
        auto const steps = chain_.steps_for(1e3 * us, figures_.clock_mhz);
        loads_.push_back(std::make_unique<Load>(session, &chain_, stream_, 1e3 * us, steps));
      }
    } else {
      figures_.no_spins = "the engine has no device code for this runtime";
      loads_.push_back(std::make_unique<Load>(session, nullptr, stream_, 0, 0));
    }
    // Twice before it is measured, as the engine asks for.
    for (auto const& load : loads_) {
      ZL_TRY_DEVICE(load->submit());
      ZL_TRY_DEVICE(load->submit());
    }
    values_.assign(figures_.timers.size(), std::vector<Values>(loads_.size()));
    return session.check(session.api().stream_synchronize(stream_), "the first spins");
  }

  DeviceResult<void> measure(std::size_t index) {
    for (std::size_t t = 0; t < figures_.timers.size(); ++t) {
      TimerFigures& timer = figures_.timers[t];
      Load& load = *loads_[index];
      auto const work =
          timer.timer == "graph" ? load.captured() : DeviceResult<Work>(load.called());
      if (!work) return tl::unexpected<DeviceError>(work.error());
      auto const timings = engine_.measure({*work}, stream_, {});
      if (!timings) return tl::unexpected<DeviceError>(timings.error());
      DeviceTiming const& timing = timings->front();
      timer.caliber = timing.caliber;
      timer.fallback = timing.fallback;
      Values& values = values_[t][index];
      values.net_ns.push_back(timing.summary.median_ns);
      if (!figures_.no_spins.empty()) continue;
      auto const cycles = chain_.cycles(stream_);
      if (!cycles) return tl::unexpected<DeviceError>(cycles.error());
      auto const mhz = measure_clock_mhz(engine_.session(), stream_);
      if (!mhz) return tl::unexpected<DeviceError>(mhz.error());
      clocks_mhz_.push_back(*mhz);
      values.truth_ns.push_back(1e3 * *cycles / *mhz);
    }
    return {};
  }

  void finish() {
    for (std::size_t t = 0; t < figures_.timers.size(); ++t) {
      TimerFigures& timer = figures_.timers[t];
      for (std::size_t i = 0; i < loads_.size(); ++i) {
        Values const& values = values_[t][i];
        Rung rung{loads_[i]->name(), {}, median(values.net_ns), variation(values.net_ns), 0};
        if (!values.truth_ns.empty()) rung.truth_ns = median(values.truth_ns);
        timer.rungs.push_back(rung);
      }
      fit(&timer);
    }
    if (clocks_mhz_.empty()) return;
    figures_.clock_mhz = median(clocks_mhz_);
    figures_.clock_change = spread(clocks_mhz_);
  }

  Engine& engine_;
  Handle stream_;
  CalibrateParams const& params_;
  SpinChain chain_;
  std::vector<std::unique_ptr<Load>> loads_;
  DeviceFigures figures_;
  std::vector<std::vector<Values>> values_;  // by timer, then by load
  std::vector<double> clocks_mhz_;
};

}  // namespace

DeviceResult<DeviceFigures> calibrate_device(Engine& engine, Handle stream,
                                             CalibrateParams const& params,
                                             std::function<void(int)> const& tell) {
  return DeviceCalibration(engine, stream, params).run(tell);
}

DeviceFigures calibrate_host(CalibrateParams const& params) {
  DeviceFigures figures;
  std::vector<double> ones_ns;
  std::vector<double> calls_ns;
  for (int repeat = 0; repeat < params.repeats; ++repeat) {
    HostEngine const engine(real_host(), real_watch());
    figures.tick_ns = engine.tick_ns();
    ones_ns.push_back(engine.null().of(1));
    calls_ns.push_back(engine.null().call_ns);
  }
  TimerFigures host{"host", host_caliber(), "", {}, {}, {}, {}};
  host.null = NullInterval{median(ones_ns), variation(ones_ns) * median(ones_ns), ones_ns.size()};
  host.rungs.push_back({"call of nothing", {}, median(calls_ns), variation(calls_ns), 0});
  figures.no_spins = "the host has no clock beside the timer's own";
  figures.timers.push_back(host);
  return figures;
}

}  // namespace zl::timing
