// P9, P1, P2 and P6: the clock, the timers' steps, what they show of nothing, a held stream.
#include <chrono>
#include <map>
#include <thread>

#include "print.h"
#include "probes.h"
#include "timing/calibration.h"
#include "timing/measure.h"

namespace zl::bench {

using timing::DeviceError;

namespace {

void rest(double s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(s));
}

DeviceResult<void> say_trace(Lab const& lab, std::string const& what, std::uint64_t slices) {
  auto const clocks = lab.trace_mhz(slices);
  if (!clocks) return tl::unexpected<DeviceError>(clocks.error());
  say("{}\t{}", what, list(*clocks));
  return {};
}

}  // namespace

DeviceResult<void> probe_settling(Lab const& lab, Figures* figures) {
  for (unsigned const blocks : {lab.multiprocessors(), 1U}) {
    rest(blocks == 1 ? 1.0 : 2.0);
    ZL_TRY_DEVICE(lab.queue_trace(50, 2'000'000, blocks));
    ZL_TRY_DEVICE(
        say_trace(lab, fmt::format("P9\tidle, then {} blocks\tMHz per 2 ms", blocks), 50));
  }
  auto const ghz = lab.clock_ghz();
  if (!ghz) return tl::unexpected<DeviceError>(ghz.error());
  figures->ghz = *ghz;
  say("P9\tGHz over 6 ms\t{:.5f}", *ghz);
  return {};
}

DeviceResult<void> probe_tick(Lab const& lab, Figures*) {
  auto const tick = timing::measure_tick(lab.session(), lab.stream());
  if (!tick) return tl::unexpected<DeviceError>(tick.error());
  say("P1\tevent tick ns\t{:.2f}", *tick);
  auto const times = lab.timer_steps(512);
  if (!times) return tl::unexpected<DeviceError>(times.error());
  std::map<std::uint64_t, int> steps;
  for (std::size_t i = 1; i < times->size(); ++i) ++steps[(*times)[i] - (*times)[i - 1]];
  std::string text;
  for (auto const& [step, count] : steps) {
    if (text.size() < 200) text += fmt::format(" {}x{}", step, count);
  }
  say("P1\tdevice timer steps ns x count\t{}", text);
  return {};
}

DeviceResult<void> probe_steps(Lab const& lab, Figures* figures) {
  double cycles[2] = {};
  constexpr std::uint64_t kSteps[2] = {1000, 101'000};
  for (int i = 0; i < 2; ++i) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      ZL_TRY_DEVICE(lab.launch(lab.spin(kSteps[i], 1, 0)));
      auto const slots = lab.slots();
      if (!slots) return tl::unexpected<DeviceError>(slots.error());
      cycles[i] = static_cast<double>(Lab::spun(*slots, 0, 0, false).cycles);
    }
  }
  figures->cycles_per_step = (cycles[1] - cycles[0]) / static_cast<double>(kSteps[1] - kSteps[0]);
  say("STEP\tcycles per step\t{:.4f}\tof 1000 steps\t{:.0f}", figures->cycles_per_step, cycles[0]);
  if (figures->cycles_per_step > 0) return {};
  return timing::device_fail("runtime", "the spin's chain takes no cycles");
}

namespace {

constexpr std::size_t kNullSamples = 20;
constexpr int kNullBursts = 12;

template <class Run>
DeviceResult<double> say_null(char const* name, Run const& run) {
  std::vector<double> all;
  for (int burst = 0; burst < kNullBursts; ++burst) {
    DeviceResult<Sampled> const sampled = run();
    if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
    if (burst < 2) continue;
    all.insert(all.end(), sampled->intervals_ns.begin(), sampled->intervals_ns.end());
  }
  auto const [low, high] = std::minmax_element(all.begin(), all.end());
  say("P2\t{}\tmedian={:.0f} mean={:.1f} sd={:.1f} min={:.0f} max={:.0f} n={}", name, median(all),
      mean(all), deviation(all), *low, *high, all.size());
  return middle(all);
}

DeviceResult<void> graph_null(Lab const& lab, char const* name, Recipe const& recipe,
                              Kernel const& kernel, double* null_ns) {
  Work const work = [&](std::size_t) { return kernel; };
  GraphBurst graph(lab);
  ZL_TRY_DEVICE(graph.compose(recipe, work, work, kNullSamples));
  auto const null = say_null(name, [&] { return graph.run(); });
  if (!null) return tl::unexpected<DeviceError>(null.error());
  if (null_ns != nullptr) *null_ns = *null;
  return {};
}

DeviceResult<void> direct_null(Lab const& lab, char const* name, Recipe const& recipe,
                               Kernel const& kernel, double* null_ns) {
  Work const work = [&](std::size_t) { return kernel; };
  timing::Watchdog watchdog(lab.session().flag());
  DirectBurst direct(lab, watchdog);
  auto const null = say_null(name, [&] { return direct.run(recipe, work, work, kNullSamples); });
  if (!null) return tl::unexpected<DeviceError>(null.error());
  if (null_ns != nullptr) *null_ns = *null;
  return {};
}

DeviceResult<void> launched_nulls(Lab const& lab, Handle graph) {
  Kernel launched;
  ZL_TRY_DEVICE(lab.check(backend::instantiate_graph(lab.api(), &launched.exec, graph),
                          "instantiating a graph"));
  auto outcome = lab.launch(launched);  // once without a held stream
  if (outcome) outcome = lab.synchronise();
  if (outcome)
    outcome = direct_null(lab, "outer events, graph of a nop, cold", {""}, launched, nullptr);
  if (outcome) {
    outcome = direct_null(lab, "outer events, graph of a nop, warm", {"", Flush::none}, launched,
                          nullptr);
  }
  lab.api().graph_exec_destroy(launched.exec);
  return outcome;
}

}  // namespace

DeviceResult<void> probe_nulls(Lab const& lab, Figures* figures) {
  Recipe const cold{"cold"};
  Recipe const warm{"warm", Flush::none};
  Kernel const nothing;
  Recipe no_work = cold;
  no_work.calls = 0;
  ZL_TRY_DEVICE(
      graph_null(lab, "graph event nodes, cold", cold, nothing, &figures->graph_cold_null_ns));
  ZL_TRY_DEVICE(
      graph_null(lab, "graph event nodes, warm", warm, nothing, &figures->graph_warm_null_ns));
  ZL_TRY_DEVICE(
      graph_null(lab, "graph event nodes, cold, no node between", no_work, nothing, nullptr));
  ZL_TRY_DEVICE(graph_null(lab, "graph, a nop, cold", cold, lab.nop(), nullptr));
  ZL_TRY_DEVICE(graph_null(lab, "graph, a nop, warm", warm, lab.nop(), nullptr));
  ZL_TRY_DEVICE(
      direct_null(lab, "blocked events, cold", cold, nothing, &figures->direct_cold_null_ns));
  ZL_TRY_DEVICE(
      direct_null(lab, "blocked events, warm", warm, nothing, &figures->direct_warm_null_ns));
  ZL_TRY_DEVICE(direct_null(lab, "blocked, a nop, cold", cold, lab.nop(), nullptr));
  ZL_TRY_DEVICE(direct_null(lab, "blocked, a nop, warm", warm, lab.nop(), nullptr));
  Handle graph = nullptr;
  Handle node = nullptr;
  ZL_TRY_DEVICE(lab.check(lab.api().graph_create(&graph, 0), "creating a graph"));
  auto outcome = lab.add(graph, &node, lab.nop());
  if (outcome) outcome = launched_nulls(lab, graph);
  lab.api().graph_destroy(graph);
  return outcome;
}

// The stream waits this long, by a value or by one busy block; then the clock per 0.1 ms.
DeviceResult<void> probe_holding(Lab const& lab, Figures*) {
  constexpr std::uint64_t kSlices = 30;
  constexpr std::uint64_t kSlice_ns = 100'000;
  timing::Session const& session = lab.session();
  for (double const hold_ms : {0.1, 1.0, 5.0, 20.0, 100.0}) {
    for (bool const is_waiting : {true, false}) {
      auto const clock = timing::wait_for_steady_clock(session, lab.stream());
      if (!clock) return tl::unexpected<DeviceError>(clock.error());
      if (is_waiting) {
        std::uint32_t const value = *session.flag() + 1;
        timing::Watchdog watchdog(session.flag());
        ZL_TRY_DEVICE(session.wait_for_flag(lab.stream(), value));
        watchdog.arm(value, std::chrono::milliseconds(500));
        auto const queued = lab.queue_trace(kSlices, kSlice_ns, 1);
        rest(hold_ms / 1e3);
        watchdog.release();
        ZL_TRY_DEVICE(queued);
      } else {
        auto const length = static_cast<std::int64_t>(hold_ms * 1e6);
        ZL_TRY_DEVICE(session.spin(lab.stream(), length, 1));
        ZL_TRY_DEVICE(lab.queue_trace(kSlices, kSlice_ns, 1));
      }
      ZL_TRY_DEVICE(say_trace(lab,
                              fmt::format("P6\theld {} ms by {}\tMHz per 0.1 ms", hold_ms,
                                          is_waiting ? "wait-value" : "one block"),
                              kSlices));
    }
  }
  return {};
}

}  // namespace zl::bench
