// A host on which time passes only where a test says so.
#pragma once

#include <cmath>

#include "timing/host_source.h"

namespace zl::timing {

struct FakeTime {
  std::int64_t now_ns = 1'000'000;
  std::int64_t reading_ns = 20;  // what reading the clock costs
  std::int64_t jitter_ns = 0;    // ... and every second time on top
  std::uint64_t epoch = 0;
  long preemptions = 0;
  bool is_stopped = false;
  std::int64_t slept_ns = 0;

  HostEnvironment host() {
    return {[this, reading = 0]() mutable {
              return now_ns += reading_ns + (++reading % 2 == 0 ? jitter_ns : 0);
            },
            [this](std::int64_t ns) {
              now_ns += ns;
              slept_ns += ns;
            },
            [this] { return epoch; }};
  }
  HostWatch watch() {
    return {[this] { return preemptions; }, [this] { return is_stopped; }};
  }
};

struct FakeCall {
  FakeTime* time = nullptr;
  std::int64_t cost_ns = 0;
  std::int64_t first_costs_ns = 0;  // on top, for the first call: a library's own start-up
  bool is_wild = false;      // each call takes up to twice as long, and none as long as the last
  long preempted_every = 0;  // each so many calls lose the CPU for 5 ms
  bool changes_epoch = false;
  std::int64_t slower_after_ns = -1;  // from then on it takes 30 % longer
  long fail_at = -1;
  long calls = 0;

  TimedCall timed() {
    return {[](void* state) { return static_cast<FakeCall*>(state)->run(); }, this};
  }
  int run() {
    bool const is_late = slower_after_ns >= 0 && time->now_ns > slower_after_ns;
    time->now_ns += (is_late ? cost_ns * 13 / 10 : cost_ns) + (calls == 0 ? first_costs_ns : 0);
    double const phase = std::fmod(static_cast<double>(calls) * 0.618034, 1.0);
    if (is_wild) time->now_ns += static_cast<std::int64_t>(phase * static_cast<double>(cost_ns));
    if (changes_epoch) ++time->epoch;
    if (preempted_every > 0 && (calls + 1) % preempted_every == 0) {
      time->now_ns += 5'000'000;
      ++time->preemptions;
    }
    return calls++ == fail_at ? 1 : 0;
  }
};

}  // namespace zl::timing
