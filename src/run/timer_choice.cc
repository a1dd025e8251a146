#include "run/timer_choice.h"

#include <algorithm>
#include <fmt/format.h>

#include "backend/runtime.h"
#include "base/text.h"

namespace zl::run {

namespace {

constexpr char kGraphCapture[] = "graph_capture";

// Why the timing engine cannot drive this backend's devices; empty: it can.
std::string engine_obstacle(backend::Descriptor const& backend) {
  std::span<backend::RuntimeFamily const> const families = backend::runtime_families();
  bool const is_known = std::any_of(families.begin(), families.end(), [&](auto const& family) {
    return family.name == backend.runtime.family;
  });
  if (is_known) return "";
  return fmt::format("the timing engine has no table for the runtime of backend {}", backend.name);
}

}  // namespace

TimerChoice best_timer(backend::Descriptor const& backend) {
  std::string const obstacle = engine_obstacle(backend);
  if (!obstacle.empty()) return {"upstream", obstacle, false};
  bool const can = backend.can(kGraphCapture);
  return {can ? "graph" : "direct",
          fmt::format("backend {} {} capability {}", backend.name, can ? "has" : "lacks",
                      kGraphCapture),
          true};
}

Result<TimerChoice> choose_timer(PlanRequest const& request) {
  std::string const& asked = request.options.timer;
  bool const is_native = request.operation.provider == "native";
  if (is_native && (asked == "auto" || asked == "host")) {
    return TimerChoice{"host", "the native provider measures on the host", false};
  }
  if (!is_native && asked == "auto") return best_timer(*request.backend);
  std::string const obstacle = engine_obstacle(*request.backend);
  bool const is_engine = asked == "graph" || asked == "direct";
  std::string const was_asked = "as asked by --timer";
  if (!is_native && asked == "upstream") return TimerChoice{asked, was_asked, false};
  if (!is_native && is_engine && !obstacle.empty()) {
    return fail(ErrorKind::usage, fmt::format("--timer {}: {}; take 'upstream'", asked, obstacle));
  }
  if (!is_native && asked == "graph" && !request.backend->can(kGraphCapture)) {
    return fail(ErrorKind::usage,
                fmt::format("--timer graph: backend {} lacks capability {}; take 'direct'",
                            request.backend->name, kGraphCapture));
  }
  if (!is_native && is_engine) return TimerChoice{asked, was_asked, true};
  std::string const known = is_native ? "'host'" : "'graph', 'direct' or 'upstream'";
  return fail(ErrorKind::usage,
              fmt::format("--timer {}: the {} provider measures with {} (or 'auto')", asked,
                          request.operation.provider, known));
}

}  // namespace zl::run
