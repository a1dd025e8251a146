#include "timing/audit.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "base/statistics.h"

namespace zl::timing {

namespace {

constexpr int kIdleWaits = 8;
constexpr int kCallsAlone = 3;
constexpr int kSeries = 1;
// In a series so many calls as fit in 2 ms: beyond that the share counts, and more do not help.
constexpr double kMostCalls = 16;
constexpr double kSeries_ns = 2e6;
constexpr double kLongCall_ns = 200e6;
constexpr std::chrono::milliseconds kHold(20);
// A host that was slow for a while made the context look busy, on the H200 in one of some 300
// audits; work that escapes does so each time.
constexpr int kConfirmations = 2;
constexpr std::chrono::nanoseconds kPause = std::chrono::milliseconds(20);
// What the context may take longer than the stream: waiting for it costs the host some time too,
// more of it after a host that slept, or a stream that was held.
constexpr double kAllowedAlone_ns = 12e3;
constexpr double kAllowedMany_ns = 20e3;
constexpr double kAllowedShare = 0.05;

struct Wait {
  double stream_ns = 0;
  double context_ns = 0;  // beyond the stream's
};

DeviceResult<Wait> wait_for_both(Session const& session, Handle stream) {
  std::int64_t const begin_ns = session.host().now_ns();
  ZL_TRY_DEVICE(session.check(session.api().stream_synchronize(stream), "the call"));
  std::int64_t const stream_ns = session.host().now_ns();
  ZL_TRY_DEVICE(session.check(session.api().context_synchronize(), "the call"));
  std::int64_t const context_ns = session.host().now_ns();
  return Wait{static_cast<double>(stream_ns - begin_ns),
              static_cast<double>(context_ns - stream_ns)};
}

// Calls that are all submitted while the stream is held, where it can be: what they leave to others
// adds up behind it.
DeviceResult<Wait> wait_for_many(Session const& session, TimedCall const& call, Handle stream,
                                 int count) {
  std::unique_ptr<Watchdog> watchdog;
  if (session.flag() != nullptr) {
    watchdog = std::make_unique<Watchdog>(session.flag());
    ZL_TRY_DEVICE(hold_stream(session, stream, kHold, watchdog.get()));
  }
  DeviceResult<void> called;
  for (int i = 0; i < count && called; ++i) called = run_call(call, kMeasuredCallFailed);
  if (watchdog != nullptr) watchdog->release();
  ZL_TRY_DEVICE(called);
  return wait_for_both(session, stream);
}

class Audit {
 public:
  Audit(Session const& session, TimedCall const& call, Handle stream)
      : session_(session), call_(call), stream_(stream) {}

  // Within the call's context. What it changes is not put back: that would be work of another kind.
  DeviceResult<EscapeAudit> run() {
    std::vector<double> idle;
    for (int i = 0; i < kIdleWaits; ++i) {
      auto const wait = wait_for_both(session_, stream_);
      if (!wait) return tl::unexpected<DeviceError>(wait.error());
      idle.push_back(wait->context_ns);
    }
    idle_ns_ = median(idle);
    std::vector<double> took;
    do {
      auto const begin_ns = session_.host().now_ns();
      ZL_TRY_DEVICE(run_call(call_, kMeasuredCallFailed));
      auto const wait = wait_for_both(session_, stream_);
      if (!wait) return tl::unexpected<DeviceError>(wait.error());
      took.push_back(static_cast<double>(session_.host().now_ns() - begin_ns));
      audit_.escaped_alone += has_escaped(*wait, kAllowedAlone_ns);
    } while (++audit_.alone < kCallsAlone && took.back() < kLongCall_ns);
    double const fitting = kSeries_ns / std::max(median(took), 1.0);
    int const count = static_cast<int>(std::min(kMostCalls, fitting));
    for (; count > 0 && audit_.together < kSeries; ++audit_.together) {
      auto const wait = wait_for_many(session_, call_, stream_, count);
      if (!wait) return tl::unexpected<DeviceError>(wait.error());
      audit_.escaped_together += has_escaped(*wait, kAllowedMany_ns);
    }
    return audit_;
  }

 private:
  bool has_escaped(Wait const& wait, double allowed_ns) {
    double const escaped_ns = std::max(0.0, wait.context_ns - idle_ns_);
    audit_.escaped_ns = std::max(audit_.escaped_ns, escaped_ns);
    return escaped_ns > std::max(allowed_ns, kAllowedShare * wait.stream_ns);
  }

  Session const& session_;
  TimedCall const& call_;
  Handle stream_;
  double idle_ns_ = 0;
  EscapeAudit audit_;
};

}  // namespace

std::string to_text(EscapeAudit const& audit) {
  if (!audit.has_escaped()) return "";
  return fmt::format(
      "work goes on for {:.1f} us after the stream is idle: it runs on another stream or thread",
      audit.escaped_ns / 1e3);
}

DeviceResult<EscapeAudit> audit_escape(Session const& session, DirectCalls const& calls,
                                       Handle stream) {
  DirectSource context(session, calls, {}, {});
  auto const entered = context.begin_visit();
  DeviceResult<EscapeAudit> audit =
      entered ? Audit(session, calls.call, stream).run()
              : DeviceResult<EscapeAudit>(tl::unexpected<DeviceError>(entered.error()));
  for (int again = 0; again < kConfirmations && audit && audit->has_escaped(); ++again) {
    session.host().sleep_ns(kPause.count());
    audit = Audit(session, calls.call, stream).run();
  }
  context.end_visit();
  return audit;
}

}  // namespace zl::timing
