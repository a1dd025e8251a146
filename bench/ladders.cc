// P3 and P4: spins of known length through each way of measuring, and what a flush does.
#include <array>

#include "print.h"
#include "probes.h"
#include "timing/measure.h"

namespace zl::bench {

using timing::DeviceError;

namespace {

constexpr std::array kRungs_us = {2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 500.0, 2000.0};
constexpr double kBurst_ns = 3e6;
constexpr int kLadderBursts = 4;
constexpr int kLadderGraphs = 3;

struct Rung {
  double truth_ns = 0;
  double net_ns = 0;
  double deviation_ns = 0;  // of the medians of bursts
  double ghz = 0;
};

std::size_t samples_for(double ns) {
  return static_cast<std::size_t>(std::clamp(kBurst_ns / (ns + 40e3), 1.0, 20.0));
}

// Weighted least squares of net on truth, with weights 1 / truth^2.
void say_ladder(char const* name, unsigned blocks, std::vector<Rung> const& rungs) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (Rung const& rung : rungs) {
    double const weight = 1 / (rung.truth_ns * rung.truth_ns);
    w += weight;
    wx += weight * rung.truth_ns;
    wy += weight * rung.net_ns;
    wxx += weight * rung.truth_ns * rung.truth_ns;
    wxy += weight * rung.truth_ns * rung.net_ns;
  }
  double const slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  double const offset = (wy - slope * wx) / w;
  say("P3\t{}\tblocks={}\toffset_ns={:.1f}\tslope-1={:.4f}%", name, blocks, offset,
      100 * (slope - 1));
  for (Rung const& rung : rungs) {
    double const residual = rung.net_ns - offset - slope * rung.truth_ns;
    say("P3\t{}\tblocks={}\ttruth={:.1f}\tnet={:.1f}\texcess={:.1f}\tresidual={:.1f} ns "
        "{:.3f}%\tsd of bursts={:.1f}\tGHz={:.5f}",
        name, blocks, rung.truth_ns, rung.net_ns, rung.net_ns - rung.truth_ns, residual,
        100 * residual / rung.truth_ns, rung.deviation_ns, rung.ghz);
  }
}

// What a rung's bursts gave, with the clock before and after them.
template <class Run>
DeviceResult<Rung> take_rung(Lab const& lab, double null_ns, std::size_t samples, unsigned blocks,
                             Run const& run) {
  auto const before = lab.clock_ghz();
  if (!before) return tl::unexpected<DeviceError>(before.error());
  std::vector<double> net, cycles, of_bursts;
  auto const take = [&](Sampled const& sampled) {
    of_bursts.push_back(middle(sampled.intervals_ns));
    for (std::size_t i = 0; i < samples; ++i) {
      net.push_back(sampled.intervals_ns[i] - null_ns);
      double longest = 0;
      for (unsigned block = 0; block < blocks; ++block) {
        auto const spent = Lab::spun(sampled.slots, i, block, false).cycles;
        longest = std::max(longest, static_cast<double>(spent));
      }
      cycles.push_back(longest);
    }
  };
  ZL_TRY_DEVICE(run(take));
  auto const after = lab.clock_ghz();
  if (!after) return tl::unexpected<DeviceError>(after.error());
  double const ghz = (*before + *after) / 2;
  return Rung{median(cycles) / ghz, middle(net), deviation(of_bursts), ghz};
}

DeviceResult<void> graph_ladder(Lab const& lab, Figures const& figures, bool is_cold,
                                unsigned blocks) {
  Recipe const recipe{"ladder", is_cold ? Flush::engine : Flush::none};
  double const null_ns = is_cold ? figures.graph_cold_null_ns : figures.graph_warm_null_ns;
  std::vector<Rung> rungs;
  for (double const us : kRungs_us) {
    std::size_t const samples = samples_for(1e3 * us);
    std::uint64_t const n = figures.steps_for(1e3 * us);
    Work const work = [&](std::size_t slot) { return lab.spin(n, blocks, slot); };
    auto const run = [&](auto const& take) -> DeviceResult<void> {
      GraphBurst graph(lab);
      for (int i = 0; i < kLadderGraphs; ++i) {
        ZL_TRY_DEVICE(graph.compose(recipe, work, work, samples));
        ZL_TRY_DEVICE(graph.run());
        for (int burst = 0; burst < kLadderBursts; ++burst) {
          auto const sampled = graph.run();
          if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
          take(*sampled);
        }
      }
      return {};
    };
    auto const rung = take_rung(lab, null_ns, samples, blocks, run);
    if (!rung) return tl::unexpected<DeviceError>(rung.error());
    rungs.push_back(*rung);
  }
  say_ladder(is_cold ? "graph-cold" : "graph-warm", blocks, rungs);
  return {};
}

DeviceResult<void> direct_ladder(Lab const& lab, Figures const& figures, bool is_cold) {
  Recipe const recipe{"ladder", is_cold ? Flush::engine : Flush::none};
  double const null_ns = is_cold ? figures.direct_cold_null_ns : figures.direct_warm_null_ns;
  timing::Watchdog watchdog(lab.session().flag());
  DirectBurst direct(lab, watchdog);
  std::vector<Rung> rungs;
  for (double const us : kRungs_us) {
    std::size_t const samples = samples_for(1e3 * us);
    std::uint64_t const n = figures.steps_for(1e3 * us);
    Work const work = [&](std::size_t slot) { return lab.spin(n, 1, slot); };
    auto const run = [&](auto const& take) -> DeviceResult<void> {
      for (int burst = 0; burst <= kLadderGraphs * kLadderBursts; ++burst) {
        auto const sampled = direct.run(recipe, work, work, samples);
        if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
        if (burst > 0) take(*sampled);
      }
      return {};
    };
    auto const rung = take_rung(lab, null_ns, samples, 1, run);
    if (!rung) return tl::unexpected<DeviceError>(rung.error());
    rungs.push_back(*rung);
  }
  say_ladder(is_cold ? "direct-cold" : "direct-warm", 1, rungs);
  return {};
}

}  // namespace

DeviceResult<void> probe_linearity(Lab const& lab, Figures* figures) {
  ZL_TRY_DEVICE(graph_ladder(lab, *figures, true, 1));
  ZL_TRY_DEVICE(graph_ladder(lab, *figures, false, 1));
  ZL_TRY_DEVICE(direct_ladder(lab, *figures, true));
  ZL_TRY_DEVICE(direct_ladder(lab, *figures, false));
  ZL_TRY_DEVICE(graph_ladder(lab, *figures, true, lab.multiprocessors()));
  return graph_ladder(lab, *figures, false, lab.multiprocessors());
}

namespace {

constexpr std::size_t kFlushSamples = 10;
constexpr int kFlushBursts = 4;

DeviceResult<double> flushed_ns(Lab const& lab, Recipe const& recipe, Work const& work) {
  std::vector<double> all;
  for (int i = 0; i < 2; ++i) {
    GraphBurst graph(lab);
    ZL_TRY_DEVICE(graph.compose(recipe, work, work, kFlushSamples));
    ZL_TRY_DEVICE(graph.run());
    for (int burst = 0; burst < kFlushBursts; ++burst) {
      auto const sampled = graph.run();
      if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
      all.insert(all.end(), sampled->intervals_ns.begin(), sampled->intervals_ns.end());
    }
  }
  return middle(all);
}

DeviceResult<void> say_flushed(Lab const& lab, std::string const& what, double bytes,
                               double null_ns, Work const& work) {
  std::string text;
  std::size_t const cache = std::max<std::size_t>(lab.session().cache_bytes(), 1 << 20);
  auto const add = [&](std::string const& name, Recipe const& recipe) -> DeviceResult<void> {
    auto const ns = flushed_ns(lab, recipe, work);
    if (!ns) return tl::unexpected<DeviceError>(ns.error());
    double const net_ns = *ns - null_ns;
    text += fmt::format("\t{}={:.0f}", name, net_ns);
    if (bytes > 0) text += fmt::format(" ({:.0f} GB/s)", bytes / net_ns);
    return {};
  };
  ZL_TRY_DEVICE(add("none", {"none", Flush::none}));
  for (std::size_t const factor : {1, 2, 4}) {
    std::size_t const size = std::min(factor * cache, lab.flush_memory_bytes());
    Recipe read{"read", Flush::sized_read};
    Recipe write{"write", Flush::sized_memset};
    read.flush_bytes = write.flush_bytes = size;
    ZL_TRY_DEVICE(add(fmt::format("read{}x", factor), read));
    ZL_TRY_DEVICE(add(fmt::format("write{}x", factor), write));
  }
  say("P4\t{}{}", what, text);
  return {};
}

}  // namespace

DeviceResult<void> probe_flush(Lab const& lab, Figures* figures) {
  double const null_ns = figures->graph_cold_null_ns;
  ZL_TRY_DEVICE(timing::wait_for_steady_clock(lab.session(), lab.stream()));
  for (std::size_t const mib : {1, 4, 16, 64, 256}) {
    std::size_t const bytes = mib << 20;
    Work const work = [&](std::size_t) { return lab.read_stream(bytes); };
    ZL_TRY_DEVICE(say_flushed(lab, fmt::format("read of {} MiB", mib), static_cast<double>(bytes),
                              null_ns, work));
  }
  for (double const us : {5.0, 20.0, 100.0}) {
    std::uint64_t const n = figures->steps_for(1e3 * us);
    Work const work = [&](std::size_t slot) { return lab.spin(n, 1, slot); };
    ZL_TRY_DEVICE(say_flushed(lab, fmt::format("spin of {} us", us), 0, null_ns, work));
  }
  return {};
}

}  // namespace zl::bench
