#include "run/timer_choice.h"

#include <algorithm>
#include <fmt/format.h>

#include "backend/runtime.h"
#include "base/text.h"

namespace zl::run {

namespace {

constexpr char kGraphCapture[] = "graph_capture";

bool works_on_host(backend::Descriptor const& backend) {
  return backend.runtime.family == backend::kHostFamily;
}

// Why the timing engine cannot drive this backend's devices; empty: it can.
std::string engine_obstacle(backend::Descriptor const& backend) {
  if (works_on_host(backend)) return "";
  std::span<backend::RuntimeFamily const> const families = backend::runtime_families();
  bool const is_known = std::any_of(families.begin(), families.end(), [&](auto const& family) {
    return family.name == backend.runtime.family;
  });
  if (is_known) return "";
  return fmt::format("the timing engine has no table for the runtime of backend {}", backend.name);
}

// Of a corpus. Why the timer that was asked for cannot be had, and what to take; empty: it can.
std::string refusal(backend::Descriptor const& backend, std::string const& asked) {
  if (asked == "upstream") return "";
  if (asked != "graph" && asked != "direct" && asked != "host") {
    return "a corpus is measured with 'graph', 'direct', 'host' or 'upstream' (or 'auto')";
  }
  std::string const obstacle = engine_obstacle(backend);
  if (!obstacle.empty()) return obstacle + "; take 'upstream'";
  if (works_on_host(backend) && asked != "host") {
    return fmt::format("the device of backend {} is the host; take 'host'", backend.name);
  }
  if (!works_on_host(backend) && asked == "host") {
    return fmt::format("the work of backend {} is not done on the host; take '{}'", backend.name,
                       best_timer(backend).name);
  }
  if (asked == "graph" && !backend.can(kGraphCapture)) {
    return fmt::format("backend {} lacks capability {}; take 'direct'", backend.name,
                       kGraphCapture);
  }
  return "";
}

}  // namespace

TimerChoice best_timer(backend::Descriptor const& backend) {
  std::string const obstacle = engine_obstacle(backend);
  if (!obstacle.empty()) return {"upstream", obstacle, false};
  if (works_on_host(backend)) {
    return {"host", fmt::format("the device of backend {} is the host", backend.name), true};
  }
  bool const can = backend.can(kGraphCapture);
  return {can ? "graph" : "direct",
          fmt::format("backend {} {} capability {}", backend.name, can ? "has" : "lacks",
                      kGraphCapture),
          true};
}

Result<TimerChoice> choose_timer(PlanRequest const& request) {
  std::string const& asked = request.options.timer;
  if (request.operation.provider == "native") {
    if (asked == "auto" || asked == "host") {
      return TimerChoice{"host", "the native provider measures on the host", false};
    }
    return fail(
        ErrorKind::usage,
        fmt::format("--timer {}: the native provider measures with 'host' (or 'auto')", asked));
  }
  if (asked == "auto") return best_timer(*request.backend);
  std::string const refused = refusal(*request.backend, asked);
  if (!refused.empty()) {
    return fail(ErrorKind::usage, fmt::format("--timer {}: {}", asked, refused));
  }
  return TimerChoice{asked, "as asked by --timer", asked != "upstream"};
}

}  // namespace zl::run
