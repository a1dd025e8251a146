// What the timing engine must know of a device before its numbers mean something: run once, for a
// hundred seconds at the most. `timing_probes [LIBRARY]`.
#include <csignal>
#include <cstring>
#include <unistd.h>

#include "print.h"
#include "probes.h"

namespace {

constexpr unsigned kLimit_s = 100;

// Every line is out already: only the end is to be told.
extern "C" void stop(int) {
  char const text[] = "STOPPED\tafter 100 s\n";
  (void)!::write(STDOUT_FILENO, text, std::strlen(text));
  ::_exit(3);
}

using namespace zl::bench;

struct Step {
  char const* name;
  Probe run;
};

constexpr Step kSteps[] = {
    {"P9 clock from idle", probe_settling},
    {"P1 ticks", probe_tick},
    {"spin steps", probe_steps},
    {"P2 null intervals", probe_nulls},
    {"P11 graphs", probe_graphs},
    {"P11 direct", probe_direct},
    {"P11 parts", probe_parts},
    {"P11 pooling", probe_pooling},
    {"P3 linearity", probe_linearity},
    {"P11 places", probe_places},
    {"P4 flush", probe_flush},
    {"P6 held stream", probe_holding},
};

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGALRM, stop);
  ::alarm(kLimit_s);
  std::string const library = count > 1 ? arguments[1] : "";
  auto const lab = Lab::open(library);
  if (!lab) {
    say("timing_probes: no device to probe: {}", lab.error().text);
    return 1;
  }
  auto const& session = (*lab)->session();
  say("DEVICE\tdriver={}\tmultiprocessors={}\tcache={} MiB\tflush={} MiB in {:.0f} ns",
      session.driver_version(), session.multiprocessors(), session.cache_bytes() >> 20,
      session.flush_bytes() >> 20, session.flush_ns());
  Figures figures;
  int failed = 0;
  for (Step const& step : kSteps) {
    double const begin = static_cast<double>(session.host().now_ns());
    auto const outcome = step.run(**lab, &figures);
    double const took_s = (static_cast<double>(session.host().now_ns()) - begin) / 1e9;
    say("DONE\t{}\t{:.2f} s", step.name, took_s);
    if (outcome) continue;
    ++failed;
    say("FAIL\t{}\t{}", step.name, outcome.error().text);
    if (outcome.error().status_class == zl::backend::StatusClass::sticky) break;
  }
  return failed == 0 ? 0 : 2;
}
