#include "timing/audit.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "base/statistics.h"

namespace zl::timing {

namespace {

constexpr int kCalls = 8;
constexpr int kCallsAlone = 5;
constexpr int kManyCalls = 16;
constexpr std::chrono::milliseconds kHold(20);
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
DeviceResult<Wait> wait_for_many(Session const& session, TimedCall const& call, Handle stream) {
  std::unique_ptr<Watchdog> watchdog;
  if (session.flag() != nullptr) {
    watchdog = std::make_unique<Watchdog>(session.flag());
    ZL_TRY_DEVICE(hold_stream(session, stream, kHold, watchdog.get()));
  }
  DeviceResult<void> called;
  for (int i = 0; i < kManyCalls && called; ++i) called = run_call(call, kMeasuredCallFailed);
  if (watchdog != nullptr) watchdog->release();
  ZL_TRY_DEVICE(called);
  return wait_for_both(session, stream);
}

// Within the call's context. What it changes is not put back: that would be work of another kind.
DeviceResult<EscapeAudit> audit_calls(Session const& session, TimedCall const& call,
                                      Handle stream) {
  std::vector<double> idle;
  for (int i = 0; i < kCalls; ++i) {
    auto const wait = wait_for_both(session, stream);
    if (!wait) return tl::unexpected<DeviceError>(wait.error());
    idle.push_back(wait->context_ns);
  }
  double const idle_ns = median(idle);
  EscapeAudit audit;
  std::vector<double> escaped;
  for (; audit.calls < kCalls; ++audit.calls) {
    bool const is_alone = audit.calls < kCallsAlone;
    if (is_alone) ZL_TRY_DEVICE(run_call(call, kMeasuredCallFailed));
    auto const wait =
        is_alone ? wait_for_both(session, stream) : wait_for_many(session, call, stream);
    if (!wait) return tl::unexpected<DeviceError>(wait.error());
    escaped.push_back(std::max(0.0, wait->context_ns - idle_ns));
    double const allowed_ns =
        std::max(is_alone ? kAllowedAlone_ns : kAllowedMany_ns, kAllowedShare * wait->stream_ns);
    if (escaped.back() > allowed_ns) ++(is_alone ? audit.escaped_alone : audit.escaped_many);
  }
  audit.escaped_ns = *std::max_element(escaped.begin(), escaped.end());
  return audit;
}

}  // namespace

DeviceResult<EscapeAudit> audit_escape(Session const& session, DirectCalls const& calls,
                                       Handle stream) {
  DirectSource context(session, calls, {}, {});
  auto const entered = context.begin_visit();
  DeviceResult<EscapeAudit> audit =
      entered ? audit_calls(session, calls.call, stream)
              : DeviceResult<EscapeAudit>(tl::unexpected<DeviceError>(entered.error()));
  context.end_visit();
  return audit;
}

}  // namespace zl::timing
