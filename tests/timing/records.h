// Records as a device would give them, from a fixed seed.
#pragma once

#include <cmath>
#include <random>

#include "timing/record.h"

namespace zl::timing {

struct RecordPlan {
  double value_ns = 40'000;  // of a call, the timer's own 1312 ns not in it
  double noise = 0.004;      // of a sample, as a share
  double burst_noise = 0.002;
  double tick_ns = 32;
  std::size_t visits = 2;
  std::size_t bursts = 13;
  std::size_t samples = 12;
  bool has_host = false;
  unsigned seed = 1;
};

inline double as_float_ms(double ns) {
  return std::round(static_cast<double>(static_cast<float>(ns / 1e6)) * 1e8) / 100;
}

inline Record make_record(RecordPlan const& plan) {
  std::mt19937_64 random(plan.seed);
  std::normal_distribution<double> normal;
  Record record{"addmm/float16/[1024, 1024]/candidate", plan.tick_ns, 1312, 1, 0.003, {}};
  double now_ns = 8.123456789e12;
  for (std::size_t v = 0; v < plan.visits; ++v) {
    Visit& visit = record.visits.emplace_back();
    visit.why = BurstStop::interval;
    for (std::size_t b = 0; b < plan.bursts; ++b) {
      Burst& burst = visit.bursts.emplace_back();
      double const level = plan.value_ns * (1 + plan.burst_noise * normal(random));
      for (std::size_t i = 0; i < plan.samples; ++i) {
        double const ns = level * (1 + plan.noise * normal(random)) + record.null_ns;
        double const ticked = plan.tick_ns > 0 ? std::round(ns / plan.tick_ns) * plan.tick_ns : ns;
        burst.intervals_ns.push_back(as_float_ms(ticked));
        if (plan.has_host) burst.host_ns.push_back(5'000 + std::round(300 * normal(random)));
      }
      burst.start_ns = now_ns;
      burst.evidence.clock_mhz = 1980 + 2.37 * normal(random);
      now_ns += 4.1e6 + 2e5 * normal(random);
    }
    now_ns += 1.5e8;
  }
  return record;
}

}  // namespace zl::timing
