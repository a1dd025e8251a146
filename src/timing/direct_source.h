#pragma once

#include <memory>

#include "timing/burst_source.h"
#include "timing/session.h"
#include "timing/timed_call.h"
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

// What is called, and what must be done around it outside of the intervals. Only `call` must be
// there; each submits to the stream that is measured on, or works on the host.
struct DirectCalls {
  TimedCall call{};     // was called before, twice at least
  TimedCall prepare{};  // before each sample: puts back what a call changes
  TimedCall enter{};    // before the bursts of a visit, and
  TimedCall leave{};    // after them
};

// The stream waits until `watchdog` releases it, at the latest after `timeout`; the session has a
// flag.
DeviceResult<void> hold_stream(Session const& session, Handle stream,
                               std::chrono::nanoseconds timeout, Watchdog* watchdog);

// Events around a call on a stream.
class DirectSource : public BurstSource {
 public:
  DirectSource(Session const& session, DirectCalls calls, BurstShape shape, DirectParams params);
  // Finds the best mode the call allows, none better than `best`, and the number of samples that
  // fit.
  DeviceResult<void> settle(Handle stream, DirectMode best = DirectMode::blocked);
  DeviceResult<void> begin_visit() override;
  void end_visit() override;
  DeviceResult<Burst> run(Handle stream) override;
  bool is_exclusive() const override { return calls_.enter.call != nullptr; }
  DirectMode mode() const { return mode_; }
  std::size_t samples() const { return shape_.samples; }

 private:
  DeviceResult<void> find_mode(Handle stream, DirectMode best);
  DeviceResult<void> settle_preroll(Handle stream);
  DeviceResult<Burst> run_blocked(Handle stream);
  DeviceResult<Burst> run_preroll(Handle stream);
  DeviceResult<Burst> run_sync(Handle stream);
  DeviceResult<void> submit(Handle stream, std::size_t sample, Burst* burst);
  DeviceResult<void> prepare_sample(Handle stream);
  DeviceResult<void> call_all();
  DeviceResult<void> hold(Handle stream);

  Session const& session_;
  DirectCalls calls_;
  BurstShape shape_;
  DirectParams params_;
  DirectMode mode_ = DirectMode::blocked;
  std::unique_ptr<Watchdog> watchdog_;
  double submit_ns_ = 0;  // of one sample, as seen last
  double preroll_ns_ = 0;
};

}  // namespace zl::timing
