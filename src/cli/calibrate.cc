// calibrate: what the timers of a device are worth.
#include "timing/calibrate.h"

#include <cstdlib>
#include <fmt/format.h>

#include "base/host.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "report/table.h"
#include "run/calibration_file.h"
#include "run/timer_choice.h"
#include "timing/calibrate_json.h"

namespace zl::cli {

namespace {

constexpr unsigned kNonBlocking = 1;

// A stream of our own where the runtime has them, the default stream else.
class OwnStream {
 public:
  explicit OwnStream(timing::Session const& session) : session_(session) {}
  ~OwnStream() {
    if (stream_ != nullptr) session_.api().stream_destroy(stream_);
  }
  OwnStream(OwnStream const&) = delete;
  OwnStream& operator=(OwnStream const&) = delete;
  timing::DeviceResult<void> open() {
    auto const& api = session_.api();
    if (api.stream_create == nullptr || api.stream_destroy == nullptr) return {};
    return session_.check(api.stream_create(&stream_, kNonBlocking), "creating a stream");
  }
  backend::Handle get() const { return stream_; }

 private:
  timing::Session const& session_;
  backend::Handle stream_ = nullptr;
};

struct Calibrated {
  timing::DeviceFigures figures;
  std::optional<int> driver_version;
};

Error to_error(timing::DeviceError const& error) {
  return {ErrorKind::environment, error.text};
}

// The runtime in this process is to see the one device, as a child's would.
Environment pin_process(Context const& context, backend::Descriptor const& backend,
                        backend::Device const& device) {
  std::vector<VariableChange> const changes = backend::pin(backend, device, context.environment);
  for (VariableChange const& change : changes) {
    if (change.value) {
      ::setenv(change.name.c_str(), change.value->c_str(), 1);
    } else {
      ::unsetenv(change.name.c_str());
    }
  }
  return with_changes(context.environment, changes);
}

timing::DeviceResult<timing::DeviceFigures> calibrate_on(timing::Engine& engine,
                                                         timing::CalibrateParams const& params) {
  OwnStream stream(engine.session());
  if (auto const opened = stream.open(); !opened)
    return tl::unexpected<timing::DeviceError>(opened.error());
  auto const tell = [&](int done) {
    fmt::print(stderr, "note: repeat {} of {} done\n", done, params.repeats);
  };
  return timing::calibrate_device(engine, stream.get(), params, tell);
}

Result<Calibrated> calibrate_accelerator(Context const& context, backend::Descriptor const& backend,
                                         backend::Device const& device,
                                         timing::CalibrateParams const& params) {
  Environment const pinned = pin_process(context, backend, device);
  auto runtime = backend::open_runtime(backend.runtime.family, backend.runtime.libraries, pinned);
  if (!runtime) return tl::unexpected<Error>(runtime.error());
  auto const engine = timing::Engine::open(std::move(*runtime), timing::real_host(), 0, {}, {});
  if (!engine) return tl::unexpected<Error>(to_error(engine.error()));
  auto figures = calibrate_on(**engine, params);
  if (!figures) return tl::unexpected<Error>(to_error(figures.error()));
  return Calibrated{std::move(*figures), (*engine)->session().driver_version()};
}

Result<Calibrated> calibrate(Context const& context, backend::Descriptor const& backend,
                             backend::Device const& device) {
  timing::CalibrateParams params;
  params.repeats = context.options.repeats;
  if (backend.is_host()) return Calibrated{timing::calibrate_host(params), {}};
  run::TimerChoice const timer = run::best_timer(backend);
  if (!timer.is_engine) {
    return fail(ErrorKind::environment,
                fmt::format("nothing to calibrate: {}. Runs measure with the corpus' own timer",
                            timer.reason));
  }
  if (device.busy_processes.value_or(0) > 0) {
    print_notes({fmt::format("{} other processes use this device: figures may be worse than alone",
                             *device.busy_processes)});
  }
  return calibrate_accelerator(context, backend, device, params);
}

Json to_stored(Calibrated const& calibrated, Target const& target, backend::Device const& device,
               int repeats) {
  Json stored{{"format", 1},
              {"date_utc", utc_now()},
              {"zlbench", own_version()},
              {"host", host_name()},
              {"backend", target.backend->name},
              {"device", backend::to_json(device)},
              {"repeats", repeats}};
  if (calibrated.driver_version) stored["driver_version"] = *calibrated.driver_version;
  stored.update(parse_json(timing::to_json_line(calibrated.figures)).value_or(Json::object()));
  return stored;
}

std::string met_word(timing::Target const& target) {
  if (!target.is_met) return "-";
  return *target.is_met ? "yes" : "NO";
}

std::string target_text(std::vector<timing::Target> const& targets) {
  report::Table table{{{"figure"}, {"measured", true}, {"unit"}, {"at"}, {"target"}, {"met"}}, {}};
  for (timing::Target const& target : targets) {
    table.rows.push_back({target.figure, fmt::format("{:.4g}", target.measured), target.unit,
                          target.where.empty() ? "-" : target.where,
                          target.target.empty() ? "-" : target.target, met_word(target)});
  }
  return report::to_text(table);
}

std::string length_text(timing::DeviceFigures const& figures) {
  report::Table table{{{"timer"},
                       {"length"},
                       {"true ns", true},
                       {"net ns", true},
                       {"excess ns", true},
                       {"residual ns", true},
                       {"repeatability %", true}},
                      {}};
  for (timing::TimerFigures const& timer : figures.timers) {
    for (timing::Rung const& rung : timer.rungs) {
      bool const has_truth = rung.truth_ns.has_value();
      table.rows.push_back(
          {timer.timer, rung.name, has_truth ? fmt::format("{:.1f}", *rung.truth_ns) : "-",
           fmt::format("{:.1f}", rung.net_ns),
           has_truth ? fmt::format("{:.1f}", rung.net_ns - *rung.truth_ns) : "-",
           timer.slope && has_truth ? fmt::format("{:.1f}", rung.residual_ns) : "-",
           fmt::format("{:.3f}", 100 * rung.repeatability)});
    }
  }
  return report::to_text(table);
}

void print_missing(timing::DeviceFigures const& figures) {
  std::vector<std::string> notes;
  if (!figures.no_spins.empty())
    notes.push_back("no lengths are known here, so that slope and offset are not: " +
                    figures.no_spins);
  if (!figures.no_graph.empty()) notes.push_back("no timer graph: " + figures.no_graph);
  for (timing::TimerFigures const& timer : figures.timers) {
    if (!timer.fallback.empty())
      notes.push_back(
          fmt::format("timer {} measured as {}: {}", timer.timer, timer.caliber, timer.fallback));
  }
  print_notes(notes);
}

}  // namespace

Result<int> run_calibrate(Context const& context) {
  Result<Target> const target = find_target(context);
  if (!target) return tl::unexpected<Error>(target.error());
  print_notes(target->notes);
  Result<std::vector<backend::Device>> const devices =
      choose_devices(*target, context.options.devices, 1);
  if (!devices) return tl::unexpected<Error>(devices.error());
  if (devices->size() != 1) {
    return fail(ErrorKind::usage,
                fmt::format("--devices '{}': calibrate takes one device at a time",
                            context.options.devices));
  }
  backend::Device const& device = devices->front();
  fs::path const runs = fs::absolute(context.options.runs);
  Result<void> const folder = make_folder(runs);
  if (!folder) return tl::unexpected<Error>(folder.error());
  Result<Calibrated> const calibrated = calibrate(context, *target->backend, device);
  if (!calibrated) return tl::unexpected<Error>(calibrated.error());
  Json const stored = to_stored(*calibrated, *target, device, context.options.repeats);
  std::string const text = stored.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  fs::path const file = run::calibration_file(runs, *target->backend, device);
  Result<void> const written = write_file_atomic(file, text);
  if (!written) return tl::unexpected<Error>(written.error());
  print_missing(calibrated->figures);
  if (context.options.json) {
    print_out(text);
    return kOk;
  }
  print_out(target_text(timing::hold_against_targets(calibrated->figures)) + "\n" +
            length_text(calibrated->figures) + fmt::format("\ncalibration: {}\n", file.string()));
  return kOk;
}

}  // namespace zl::cli
