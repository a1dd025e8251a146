// P11: why a short kernel's cold time has two states from graph to graph.
#include <chrono>
#include <map>
#include <memory>

#include "print.h"
#include "probes.h"
#include "timing/measure.h"

namespace zl::bench {

using timing::DeviceError;

namespace {

constexpr int kInstantiations = 24;
constexpr int kBursts = 3;
constexpr std::size_t kSamples = 20;
constexpr double kSpin_ns = 5000;
constexpr std::uint64_t kBrief = 16;
constexpr double kGateBudget_ms = 25e3;
constexpr double kBudget_ms = 60e3;  // of P11's variants; the other probes want their share
constexpr double kWorthALine_pct = 0.3;

double now_ms() {
  auto const since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

// The three bursts of one instantiation.
struct Instance {
  std::vector<std::vector<double>> net_ns;  // by burst, then by sample
  std::vector<double> truth_ns;
  std::map<std::uint32_t, int> places;  // the multiprocessor of block 0

  double middle_ns() const {
    std::vector<double> all;
    for (auto const& burst : net_ns) all.insert(all.end(), burst.begin(), burst.end());
    return middle(all);
  }
};

void take(Sampled const& sampled, unsigned blocks, double null_ns, double ghz, Instance* instance) {
  auto& burst = instance->net_ns.emplace_back();
  for (std::size_t i = 0; i < sampled.intervals_ns.size(); ++i) {
    burst.push_back(sampled.intervals_ns[i] - null_ns);
    double longest = 0;
    for (unsigned block = 0; block < blocks; ++block) {
      auto const cycles = Lab::spun(sampled.slots, i, block, false).cycles;
      longest = std::max(longest, static_cast<double>(cycles));
    }
    instance->truth_ns.push_back(longest / ghz);
    ++instance->places[Lab::spun(sampled.slots, i, 0, false).multiprocessor];
  }
}

// Standard deviations: between instantiations, between samples' places in the burst that keep their
// value over the bursts, and of what is left.
struct Shares {
  double instances = 0;
  double places = 0;
  double rest = 0;
};

Shares shares(std::vector<Instance> const& instances) {
  std::vector<double> means, place_means, rests;
  for (Instance const& instance : instances) {
    std::vector<double> all;
    for (auto const& burst : instance.net_ns) all.insert(all.end(), burst.begin(), burst.end());
    double const centre = mean(all);
    means.push_back(centre);
    for (std::size_t i = 0; i < instance.net_ns.front().size(); ++i) {
      std::vector<double> same_place;
      for (auto const& burst : instance.net_ns) same_place.push_back(burst[i]);
      place_means.push_back(mean(same_place) - centre);
      for (double const value : same_place) rests.push_back(value - mean(same_place));
    }
  }
  return {deviation(means), deviation(place_means), deviation(rests)};
}

void print(std::string const& name, unsigned blocks, std::vector<Instance> const& instances) {
  if (instances.empty()) return;
  std::vector<double> middles, truths;
  std::string places;
  for (Instance const& instance : instances) {
    middles.push_back(instance.middle_ns());
    truths.push_back(median(instance.truth_ns));
    int most = 0;
    std::uint32_t where = 0;
    for (auto const& [place, count] : instance.places) {
      if (count > most) where = place;
      most = std::max(most, count);
    }
    places += fmt::format(" {}/{}", where, instance.places.size());
  }
  Shares const part = shares(instances);
  say("P11\t{}\tblocks={}\tspread={:.2f}%\tmedian={:.0f}\ttruth={:.0f}\ttruth_spread={:.2f}%"
      "\tsd_instance={:.0f}\tsd_place={:.0f}\tsd_rest={:.0f}",
      name, blocks, spread_pct(middles), median(middles), median(truths), spread_pct(truths),
      part.instances, part.places, part.rest);
  say("P11\t{}\tmiddles\t{}", name, list(middles));
  if (spread_pct(truths) > kWorthALine_pct) say("P11\t{}\ttruths\t{}", name, list(truths));
  if (blocks == 1) say("P11\t{}\tsm/distinct\t{}", name, places);
}

// Where the clock never keeps still, the gate gives up at its own limit every time: not for long.
DeviceResult<void> steady(Lab const& lab) {
  static double spent_ms = 0;
  if (spent_ms > kGateBudget_ms) return {};
  double const begin = now_ms();
  auto const clock = timing::wait_for_steady_clock(lab.session(), lab.stream());
  spent_ms += now_ms() - begin;
  if (spent_ms > kGateBudget_ms) say("NOTE\tP11\tno clock gate from here on");
  if (!clock) return tl::unexpected<DeviceError>(clock.error());
  return {};
}

Work spin_work(Lab const& lab, std::uint64_t n, unsigned blocks) {
  return [&lab, n, blocks](std::size_t slot) { return lab.spin(n, blocks, slot); };
}

DeviceResult<void> run_bursts(GraphBurst& graph, unsigned blocks, double null_ns, double ghz,
                              Instance* instance) {
  ZL_TRY_DEVICE(graph.run());
  for (int burst = 0; burst < kBursts; ++burst) {
    auto const sampled = graph.run();
    if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
    take(*sampled, blocks, null_ns, ghz, instance);
  }
  return {};
}

// `blocks`: those whose slots the work fills; 0: it fills none.
DeviceResult<void> graph_variant(Lab const& lab, Figures const& figures, Recipe const& recipe,
                                 Work const& work, Work const& brief, unsigned blocks) {
  double const null_ns =
      recipe.flush == Flush::none ? figures.graph_warm_null_ns : figures.graph_cold_null_ns;
  std::vector<Instance> instances;
  std::vector<double> compose_ms, first_ms;
  GraphBurst graph(lab);
  for (int i = 0; i < kInstantiations; ++i) {
    double const begin = now_ms();
    ZL_TRY_DEVICE(graph.compose(recipe, work, brief, kSamples));
    compose_ms.push_back(now_ms() - begin);
    ZL_TRY_DEVICE(steady(lab));
    double const launched = now_ms();
    ZL_TRY_DEVICE(graph.run());
    first_ms.push_back(now_ms() - launched);
    ZL_TRY_DEVICE(run_bursts(graph, blocks, null_ns, figures.ghz, &instances.emplace_back()));
  }
  print(fmt::format("graph-{}", recipe.name), blocks, instances);
  say("P11\tgraph-{}\tcompose_ms={:.2f}\tfirst_run_ms={:.2f}\t(m={})", recipe.name,
      median(compose_ms), median(first_ms), kSamples);
  return {};
}

// All instantiations stay alive and are visited twice: is the state theirs, or the time's?
DeviceResult<void> kept_variant(Lab const& lab, Figures const& figures, unsigned blocks) {
  std::uint64_t const n = figures.steps_for(kSpin_ns);
  std::vector<std::unique_ptr<GraphBurst>> graphs;
  for (int i = 0; i < kInstantiations; ++i) {
    graphs.push_back(std::make_unique<GraphBurst>(lab));
    ZL_TRY_DEVICE(graphs.back()->compose({"kept"}, spin_work(lab, n, blocks),
                                         spin_work(lab, kBrief, blocks), kSamples));
  }
  std::vector<double> rounds[2];
  for (auto& round : rounds) {
    std::vector<Instance> instances;
    for (auto const& graph : graphs) {
      ZL_TRY_DEVICE(steady(lab));
      ZL_TRY_DEVICE(run_bursts(*graph, blocks, figures.graph_cold_null_ns, figures.ghz,
                               &instances.emplace_back()));
      round.push_back(instances.back().middle_ns());
    }
    print("graph-v0-kept-alive", blocks, instances);
  }
  say("P11\tgraph-v0-kept-alive\tblocks={}\tcorrelation of the two rounds={:.3f}", blocks,
      correlation(rounds[0], rounds[1]));
  return {};
}

DeviceResult<void> direct_variant(Lab const& lab, timing::Watchdog& watchdog,
                                  Figures const& figures, Recipe const& recipe, unsigned blocks) {
  std::uint64_t const n = figures.steps_for(kSpin_ns);
  double const null_ns =
      recipe.flush == Flush::none ? figures.direct_warm_null_ns : figures.direct_cold_null_ns;
  std::vector<Instance> instances;
  DirectBurst direct(lab, watchdog);
  for (int i = 0; i < kInstantiations; ++i) {
    ZL_TRY_DEVICE(steady(lab));
    Instance& instance = instances.emplace_back();
    for (int burst = 0; burst <= kBursts; ++burst) {
      auto const sampled =
          direct.run(recipe, spin_work(lab, n, blocks), spin_work(lab, kBrief, blocks), kSamples);
      if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
      if (burst > 0) take(*sampled, blocks, null_ns, figures.ghz, &instance);
    }
  }
  print(fmt::format("direct-{}", recipe.name), blocks, instances);
  return {};
}

// One variant's failure is no reason to leave out the others, unless the device is lost.
template <class Action>
DeviceResult<void> attempt(char const* name, Action const& action) {
  static double const begin = now_ms();
  if (now_ms() - begin > kBudget_ms) {
    say("SKIP\tP11\t{}", name);
    return {};
  }
  DeviceResult<void> const outcome = action();
  if (outcome) return {};
  say("FAIL\tP11\t{}\t{}", name, outcome.error().text);
  if (outcome.error().status_class == backend::StatusClass::sticky) return outcome;
  return {};
}

constexpr Recipe kRecipes[] = {
    {"v0-engine"},
    {"v1-nop-between", Flush::engine, Between::nop},
    {"v2-landing-between", Flush::engine, Between::landing},
    {"v3-warm", Flush::none},
    {"v4-four-calls", Flush::engine, Between::nothing, 4},
    {"v6-memset-flush", Flush::memset},
    {"v7-code-warm", Flush::engine, Between::same_kernel},
    {"v8-flush-of-same-module", Flush::same_module},
    {"v10-pause-between", Flush::engine, Between::pause},
};

}  // namespace

DeviceResult<void> probe_graphs(Lab const& lab, Figures* figures) {
  std::uint64_t const n = figures->steps_for(kSpin_ns);
  Recipe plain{"v9-no-child-graph"};
  plain.is_child = false;
  std::vector<Recipe> recipes(std::begin(kRecipes), std::end(kRecipes));
  recipes.push_back(plain);
  for (unsigned const blocks : {1U, lab.multiprocessors()}) {
    for (Recipe const& recipe : recipes) {
      ZL_TRY_DEVICE(attempt(recipe.name, [&] {
        return graph_variant(lab, *figures, recipe, spin_work(lab, n, blocks),
                             spin_work(lab, kBrief, blocks), blocks);
      }));
    }
    ZL_TRY_DEVICE(attempt("kept", [&] { return kept_variant(lab, *figures, blocks); }));
  }
  // As the engine's first contact with the device had it.
  for (bool const does_store : {true, false}) {
    Recipe const recipe{does_store ? "v11-spin_ns-host-store" : "v12-spin_ns-no-store"};
    Work const work = [&](std::size_t) {
      return lab.spin_ns(static_cast<std::uint64_t>(kSpin_ns), does_store);
    };
    ZL_TRY_DEVICE(
        attempt(recipe.name, [&] { return graph_variant(lab, *figures, recipe, work, work, 0); }));
  }
  return {};
}

DeviceResult<void> probe_direct(Lab const& lab, Figures* figures) {
  timing::Watchdog watchdog(lab.session().flag());
  for (unsigned const blocks : {1U, lab.multiprocessors()}) {
    for (Recipe const& recipe : kRecipes) {
      ZL_TRY_DEVICE(attempt(
          recipe.name, [&] { return direct_variant(lab, watchdog, *figures, recipe, blocks); }));
    }
  }
  return {};
}

// The time from the event before to the kernel's entry, within the kernel, and from its exit to the
// event after. The first and the last are exact but for a constant.
DeviceResult<void> probe_parts(Lab const& lab, Figures* figures) {
  std::uint64_t const n = figures->steps_for(kSpin_ns);
  Work const work = [&](std::size_t slot) { return lab.spin_timed(n, 1, slot); };
  Work const brief = [&](std::size_t slot) { return lab.spin_timed(kBrief, 1, slot); };
  for (bool const is_cold : {true, false}) {
    Recipe const recipe{"parts", is_cold ? Flush::engine : Flush::none};
    std::vector<double> heads, middles, tails, totals, rest;
    GraphBurst graph(lab);
    for (int i = 0; i < kInstantiations; ++i) {
      ZL_TRY_DEVICE(graph.compose(recipe, work, brief, kSamples));
      ZL_TRY_DEVICE(steady(lab));
      ZL_TRY_DEVICE(graph.run());
      std::vector<double> head, inner, tail, total;
      for (int burst = 0; burst < kBursts; ++burst) {
        auto const sampled = graph.run_after_reference();
        if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
        double const zero =
            static_cast<double>(Lab::spun(sampled->slots, kSlots - 1, 0, true).entry_ns);
        for (std::size_t s = 0; s < kSamples; ++s) {
          Spun const spun = Lab::spun(sampled->slots, s, 0, true);
          double const entry = static_cast<double>(spun.entry_ns) - zero;
          double const exit = static_cast<double>(spun.exit_ns) - zero;
          head.push_back(entry - sampled->begins_ns[s]);
          inner.push_back(exit - entry);
          tail.push_back(sampled->begins_ns[s] + sampled->intervals_ns[s] - exit);
          total.push_back(sampled->intervals_ns[s]);
        }
      }
      heads.push_back(mean(head));
      middles.push_back(mean(inner));
      tails.push_back(mean(tail));
      totals.push_back(mean(total));
    }
    char const* const state = is_cold ? "cold" : "warm";
    say("P11\tparts-{}\ttotal spread={:.2f}%\tsd head={:.0f} middle={:.0f} tail={:.0f} ns\t"
        "correlation with total: head={:.2f} middle={:.2f} tail={:.2f}",
        state, spread_pct(totals), deviation(heads), deviation(middles), deviation(tails),
        correlation(heads, totals), correlation(middles, totals), correlation(tails, totals));
    say("P11\tparts-{}\ttotals\t{}", state, list(totals));
    say("P11\tparts-{}\theads\t{}", state, list(heads));
    say("P11\tparts-{}\tmiddles\t{}", state, list(middles));
    say("P11\tparts-{}\ttails\t{}", state, list(tails));
  }
  return {};
}

// The same grid every time; only the block on one multiprocessor has work.
DeviceResult<void> probe_places(Lab const& lab, Figures* figures) {
  std::uint64_t const n = figures->steps_for(kSpin_ns);
  for (bool const is_cold : {true, false}) {
    Recipe const recipe{"places", is_cold ? Flush::engine : Flush::none};
    double const null_ns = is_cold ? figures->graph_cold_null_ns : figures->graph_warm_null_ns;
    std::vector<double> medians, truths;
    GraphBurst graph(lab);
    for (unsigned place = 0; place < lab.multiprocessors(); place += 3) {
      Work const work = [&](std::size_t slot) { return lab.spin_on(n, slot, place); };
      ZL_TRY_DEVICE(graph.compose(recipe, work, work, kSamples));
      ZL_TRY_DEVICE(graph.run());
      auto const sampled = graph.run();
      if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
      medians.push_back(middle(sampled->intervals_ns) - null_ns);
      std::vector<double> truth;
      for (std::size_t s = 0; s < kSamples; ++s) {
        auto const cycles = Lab::spun(sampled->slots, s, 0, false).cycles;
        truth.push_back(static_cast<double>(cycles) / figures->ghz);
      }
      truths.push_back(median(truth));
    }
    char const* const state = is_cold ? "cold" : "warm";
    say("P11\tplaces-{}\tby every third multiprocessor: spread={:.2f}% truth_spread={:.2f}%", state,
        spread_pct(medians), spread_pct(truths));
    say("P11\tplaces-{}\tmedians\t{}", state, list(medians));
    say("P11\tplaces-{}\ttruths\t{}", state, list(truths));
  }
  return {};
}

// v5: six repeats of a result pooled over eight bursts, of one graph each or of a graph in common.
DeviceResult<void> probe_pooling(Lab const& lab, Figures* figures) {
  constexpr int kRepeats = 6;
  constexpr int kPooled = 8;
  std::uint64_t const n = figures->steps_for(kSpin_ns);
  for (Flush const flush : {Flush::engine, Flush::none}) {
    for (bool const is_renewed : {true, false}) {
      std::vector<double> pooled, cost_ms;
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        ZL_TRY_DEVICE(steady(lab));
        GraphBurst graph(lab);
        std::vector<double> all;
        double const begin = now_ms();
        for (int burst = 0; burst < kPooled; ++burst) {
          if (is_renewed || burst == 0) {
            ZL_TRY_DEVICE(graph.compose({"v5", flush}, spin_work(lab, n, 1),
                                        spin_work(lab, kBrief, 1), kSamples));
            ZL_TRY_DEVICE(graph.run());
          }
          auto const sampled = graph.run();
          if (!sampled) return tl::unexpected<DeviceError>(sampled.error());
          all.insert(all.end(), sampled->intervals_ns.begin(), sampled->intervals_ns.end());
        }
        cost_ms.push_back(now_ms() - begin);
        pooled.push_back(middle(all) - (flush == Flush::none ? figures->graph_warm_null_ns
                                                             : figures->graph_cold_null_ns));
      }
      say("P11\tv5-{}-{}\tspread of {} pooled={:.2f}%\tms={:.1f}\t{}",
          flush == Flush::none ? "warm" : "cold", is_renewed ? "graph-per-burst" : "one-graph",
          kRepeats, spread_pct(pooled), median(cost_ms), list(pooled));
    }
  }
  return {};
}

}  // namespace zl::bench
