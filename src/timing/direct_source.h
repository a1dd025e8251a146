#pragma once

#include <memory>

#include "timing/host_timer.h"
#include "timing/timing_graph.h"
#include "timing/watchdog.h"

namespace zl::timing {

// How the host's share is kept out of the interval, best first.
enum class DirectMode {
  blocked,  // the stream waits until everything is submitted
  preroll,  // the device is kept busy while the next sample is submitted
  sync,     // not at all: from the call to the end of its work, by the host's clock
};
std::string_view to_text(DirectMode mode);

struct DirectParams {
  // A held stream goes on after this at the latest, or after five times what a burst should take.
  double watchdog_ns = 20e6;
  // This many early releases: the call waits for the device itself, or cannot be submitted ahead.
  int max_early_releases = 3;
  // A sample's share of the device's queue, which holds some 1,000 entries, is not known before: a
  // burst that does not fit blocks, is released early and halved.
  std::size_t max_samples = kMaxSamplesPerBurst;
};

// Events around a call on a stream.
class DirectSource : public BurstSource {
 public:
  // `call` submits the work to the stream that run() gets; it was called before, twice at least.
  DirectSource(Session const& session, TimedCall call, BurstShape shape, DirectParams params);
  // Finds the best mode the call allows, and the number of samples that fit.
  DeviceResult<void> settle(Handle stream);
  DeviceResult<void> prepare() override { return {}; }
  DeviceResult<Burst> run(Handle stream) override;
  DirectMode mode() const { return mode_; }
  std::size_t samples() const { return shape_.samples; }
  void set_samples(std::size_t samples) { shape_.samples = samples; }

 private:
  DeviceResult<void> settle_preroll(Handle stream);
  DeviceResult<Burst> run_blocked(Handle stream);
  DeviceResult<Burst> run_preroll(Handle stream);
  DeviceResult<Burst> run_sync(Handle stream);
  DeviceResult<double> submit(Handle stream, std::size_t sample);
  DeviceResult<void> call_all();
  DeviceResult<void> hold(Handle stream);
  DeviceResult<void> read_intervals(Burst* burst);

  Session const& session_;
  TimedCall call_;
  BurstShape shape_;
  DirectParams params_;
  DirectMode mode_ = DirectMode::blocked;
  std::unique_ptr<Watchdog> watchdog_;
  std::uint32_t released_ = 0;  // the flag's value so far
  double submit_ns_ = 0;        // of one sample, as seen last
  double preroll_ns_ = 0;
};

}  // namespace zl::timing
