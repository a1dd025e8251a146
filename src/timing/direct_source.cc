#include "timing/direct_source.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/statistics.h"

namespace zl::timing {

namespace {

// The device must still be busy when the host is ready: a third more than the host took.
constexpr double kPrerollFactor = 1.3;
// Prerolls longer than this cost more than they are worth: a call this slow is not worth hiding.
constexpr double kMaxPreroll_ns = 50e6;
constexpr double kLeastPreroll_ns = 2e3;

}  // namespace

std::string_view to_text(DirectMode mode) {
  switch (mode) {
    case DirectMode::blocked:
      return "direct-blk";
    case DirectMode::preroll:
      return "direct-preroll";
    case DirectMode::sync:
      break;
  }
  return "direct-sync";
}

DeviceResult<void> hold_stream(Session const& session, Handle stream,
                               std::chrono::nanoseconds timeout, Watchdog* watchdog) {
  std::uint32_t const released = *session.flag() + 1;
  ZL_TRY_DEVICE(session.wait_for_flag(stream, released));
  watchdog->arm(released, timeout);
  return {};
}

DirectSource::DirectSource(Session const& session, DirectCalls calls, BurstShape shape,
                           DirectParams params)
    : session_(session), calls_(calls), shape_(shape), params_(params) {
  shape_.samples = std::min(shape_.samples, params.max_samples);
  if (session.flag() != nullptr) watchdog_ = std::make_unique<Watchdog>(session.flag());
}

DeviceResult<void> DirectSource::begin_visit() {
  session_.free_cache();
  return run_call(calls_.enter, "entering the context of the call that is measured failed");
}

void DirectSource::end_visit() {
  // A context that cannot be left shows in what is called next.
  static_cast<void>(run_call(calls_.leave, "leaving the context failed"));
}

DeviceResult<void> DirectSource::call_all() {
  for (std::size_t i = 0; i < shape_.calls_per_sample; ++i) {
    ZL_TRY_DEVICE(run_call(calls_.call, kMeasuredCallFailed));
  }
  return {};
}

DeviceResult<void> DirectSource::prepare_sample(Handle stream) {
  ZL_TRY_DEVICE(run_call(calls_.prepare, "putting back what the call changes failed"));
  if (!shape_.is_cold) return {};
  ZL_TRY_DEVICE(session_.flush(stream));
  return session_.nop(stream);
}

// Events around the calls, and the host's time for them.
DeviceResult<void> DirectSource::submit(Handle stream, std::size_t sample, Burst* burst) {
  auto const& api = session_.api();
  ZL_TRY_DEVICE(
      session_.check(api.event_record(session_.begin_event(sample), stream), "recording an event"));
  std::int64_t const begin_ns = session_.host().now_ns();
  ZL_TRY_DEVICE(call_all());
  burst->host_ns.push_back(static_cast<double>(session_.host().now_ns() - begin_ns));
  return session_.check(api.event_record(session_.end_event(sample), stream), "recording an event");
}

DeviceResult<Burst> DirectSource::run_blocked(Handle stream) {
  Burst burst;
  double const expected_ns = submit_ns_ * static_cast<double>(shape_.samples);
  auto const timeout = std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::max(params_.watchdog_ns, 5 * expected_ns)));
  ZL_TRY_DEVICE(hold_stream(session_, stream, timeout, watchdog_.get()));
  DeviceResult<void> submitted = session_.stamp(stream, 0);
  for (std::size_t i = 0; i < shape_.samples && submitted; ++i) {
    submitted = prepare_sample(stream);
    if (submitted) submitted = submit(stream, i, &burst);
  }
  if (submitted) submitted = session_.stamp(stream, 1);
  // Whatever happened, the stream must not stay held.
  burst.evidence.is_released_early = watchdog_->release();
  std::int64_t const begin_ns = session_.host().now_ns();
  int const status = session_.api().stream_synchronize(stream);
  ZL_TRY_DEVICE(submitted);
  ZL_TRY_DEVICE(session_.check(status, "the measured work"));
  burst.device_ns = static_cast<double>(session_.host().now_ns() - begin_ns);
  ZL_TRY_DEVICE(session_.read_intervals(shape_.samples, &burst.intervals_ns));
  return burst;
}

// Something for the device to do while the host submits the next sample.
DeviceResult<void> DirectSource::hold(Handle stream) {
  if (session_.has_device_code()) {
    return session_.spin(stream, static_cast<std::int64_t>(preroll_ns_), 1);
  }
  double const flush_ns = session_.flush_ns();
  double const needed = flush_ns > 0 ? preroll_ns_ / flush_ns : 1;
  for (double i = 0; i < needed; ++i) ZL_TRY_DEVICE(session_.flush(stream));
  return {};
}

DeviceResult<Burst> DirectSource::run_preroll(Handle stream) {
  Burst burst;
  std::int64_t const begin_ns = session_.host().now_ns();
  ZL_TRY_DEVICE(session_.stamp(stream, 0));
  std::size_t late = 0;
  for (std::size_t i = 0; i < shape_.samples; ++i) {
    ZL_TRY_DEVICE(hold(stream));
    ZL_TRY_DEVICE(prepare_sample(stream));
    ZL_TRY_DEVICE(submit(stream, i, &burst));
    // The begin has happened already: the device had nothing left to do before the end came.
    int const status = session_.api().event_query(session_.begin_event(i));
    if (status == 0) {
      ++late;
    } else if (session_.runtime().classify(status) != backend::StatusClass::not_ready) {
      ZL_TRY_DEVICE(session_.check(status, "asking for an event"));
    }
  }
  ZL_TRY_DEVICE(session_.stamp(stream, 1));
  ZL_TRY_DEVICE(session_.check(session_.api().stream_synchronize(stream), "the measured work"));
  burst.device_ns = static_cast<double>(session_.host().now_ns() - begin_ns);
  burst.evidence.is_host_bound = late > 0;
  ZL_TRY_DEVICE(session_.read_intervals(shape_.samples, &burst.intervals_ns));
  return burst;
}

DeviceResult<Burst> DirectSource::run_sync(Handle stream) {
  Burst burst;
  for (std::size_t i = 0; i < shape_.samples; ++i) {
    ZL_TRY_DEVICE(prepare_sample(stream));
    ZL_TRY_DEVICE(session_.check(session_.api().context_synchronize(), "waiting for the device"));
    std::int64_t const begin_ns = session_.host().now_ns();
    ZL_TRY_DEVICE(call_all());
    std::int64_t const called_ns = session_.host().now_ns();
    ZL_TRY_DEVICE(session_.check(session_.api().context_synchronize(), "the measured work"));
    burst.host_ns.push_back(static_cast<double>(called_ns - begin_ns));
    burst.intervals_ns.push_back(static_cast<double>(session_.host().now_ns() - begin_ns));
    burst.device_ns += burst.intervals_ns.back();
  }
  return burst;
}

DeviceResult<Burst> DirectSource::run(Handle stream) {
  session_.clear_stamps();
  auto const epoch = session_.host().epoch();
  std::int64_t const begin_ns = session_.host().now_ns();
  auto burst = mode_ == DirectMode::blocked   ? run_blocked(stream)
               : mode_ == DirectMode::preroll ? run_preroll(stream)
                                              : run_sync(stream);
  if (!burst) return burst;
  burst->start_ns = static_cast<double>(begin_ns);
  burst->wall_ns = static_cast<double>(session_.host().now_ns() - begin_ns);
  burst->evidence.is_epoch_changed = session_.host().epoch() != epoch;
  if (mode_ != DirectMode::sync) burst->evidence.clock_mhz = session_.clock_mhz();
  submit_ns_ = median(burst->host_ns);
  return burst;
}

DeviceResult<void> DirectSource::settle(Handle stream, DirectMode best) {
  auto settled = begin_visit();
  if (settled) settled = find_mode(stream, best);
  end_visit();
  return settled;
}

DeviceResult<void> DirectSource::find_mode(Handle stream, DirectMode best) {
  mode_ = DirectMode::blocked;
  int const attempts = best == DirectMode::blocked ? params_.max_early_releases : 0;
  for (int early = 0; watchdog_ != nullptr && early < attempts; ++early) {
    auto const burst = run(stream);
    if (!burst) return tl::unexpected<DeviceError>(burst.error());
    if (!burst->evidence.is_released_early) return {};
    submit_ns_ = 0;  // of a held call it says nothing
    shape_.samples = std::max<std::size_t>(1, shape_.samples / 2);
  }
  mode_ = DirectMode::sync;
  return best == DirectMode::sync ? DeviceResult<void>() : settle_preroll(stream);
}

// Longer prerolls until the device is never idle within a sample; a call that waits for the device
// itself makes it so however long they are.
DeviceResult<void> DirectSource::settle_preroll(Handle stream) {
  auto const plain = run(stream);
  if (!plain) return tl::unexpected<DeviceError>(plain.error());
  preroll_ns_ = std::max(kPrerollFactor * median(plain->host_ns), kLeastPreroll_ns);
  mode_ = DirectMode::preroll;
  for (int attempt = 0; attempt < 3 && preroll_ns_ <= kMaxPreroll_ns; ++attempt) {
    auto const burst = run(stream);
    if (!burst) return tl::unexpected<DeviceError>(burst.error());
    if (!burst->evidence.is_host_bound) return {};
    preroll_ns_ *= 2;
  }
  mode_ = DirectMode::sync;
  return {};
}

}  // namespace zl::timing
