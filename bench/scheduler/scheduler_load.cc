// What the scheduler itself costs: operators that speak the protocol and sleep, on simulated
// devices. `scheduler_load [OPERATORS [DEVICES [SLEEP_MS]]]`; started by itself with
// `native-runner` it is the child.
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/registry.h"
#include "batch/scheduler.h"

namespace {

using namespace zl;

class Silent : public results::Observer {
 public:
  void on_event(results::Event const&) override {}
  void on_activity(std::vector<results::Activity> const&) override {}
};

void say(std::string const& line) {
  ssize_t const ignored = ::write(kChildChannelFd, line.data(), line.size());
  static_cast<void>(ignored);
}

// As a real one: imports for a third of the time, then asks for its device and measures two cases.
int run_child(char const* sleep_ms) {
  auto const third_us = static_cast<useconds_t>(std::atoi(sleep_ms) * 1000 / 3);
  say("{\"type\":\"hello\",\"protocol\":1,\"role\":\"native\",\"identity\":{}}\n");
  ::usleep(third_us);
  for (char const* const name : {"a", "b"}) {
    say("{\"type\":\"lease_wanted\"}\n");
    char answer[256];
    if (::read(kChildChannelFd, answer, sizeof(answer)) <= 0) return 1;
    say(fmt::format(
        "{{\"type\":\"case_begin\",\"case\":\"{}\",\"node\":\"n\",\"shape_text\":\"[4]\"}}\n",
        name));
    ::usleep(third_us);
    for (char const* const side : {"baseline", "candidate"}) {
      say(fmt::format(
          "{{\"type\":\"measurement\",\"case\":\"{}\",\"side\":\"{}\",\"caliber\":\"c\","
          "\"value_ns\":1000}}\n",
          name, side));
    }
    say(fmt::format("{{\"type\":\"case_end\",\"case\":\"{}\",\"status\":\"ok\"}}\n", name));
    say("{\"type\":\"lease_released\"}\n");
  }
  say("{\"type\":\"bye\",\"exit_status\":0,\"collected\":1,\"passed\":1}\n");
  return 0;
}

double seconds(timeval const& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double now_s() {
  return std::chrono::duration<double>(run::Clock::now().time_since_epoch()).count();
}

double own_cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long peak_memory_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

batch::SchedulerSetup make_setup(backend::Registry const& registry, fs::path const& folder,
                                 int operators, int devices, char const* sleep_ms) {
  batch::SchedulerSetup setup;
  setup.plan.backend = &registry.all().front();
  for (backend::Descriptor const& one : registry.all()) {
    if (one.is_plain_host()) setup.plan.backend = &one;
  }
  setup.request.name = "load";
  setup.request.backend = setup.plan.backend->name;
  setup.request.provider = "native";
  for (int i = 0; i < operators; ++i) {
    provider::ProviderCase operation;
    operation.op = fmt::format("op{}", i);
    operation.provider = "native";
    operation.nodes = {"load::" + operation.op};
    operation.library = sleep_ms;
    setup.request.operations.push_back(operation);
  }
  setup.work = setup.request.operations;
  setup.plan.places.self = *own_executable();
  setup.plan.caller = current_environment();
  setup.plan.caller["ZL_LOCKS"] = (folder / "locks").string();
  for (int i = 0; i < devices; ++i) {
    backend::Device device;
    device.index = i;
    setup.devices.emplace_back(device);
  }
  setup.paths = *batch::create_batch(folder, setup.request);
  return setup;
}

int measure(int operators, int devices, char const* sleep_ms) {
  std::string name = (fs::temp_directory_path() / "zlbench-load-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return 4;
  backend::Registry const registry = *backend::Registry::load({});
  batch::SchedulerSetup setup = make_setup(registry, name, operators, devices, sleep_ms);
  batch::BatchPaths const paths = setup.paths;
  Silent observer;
  double const begin_s = now_s();
  double const cpu_before_s = own_cpu_s();
  Result<batch::BatchEnd> const end = batch::Scheduler(std::move(setup), observer).run();
  double const cpu_s = own_cpu_s() - cpu_before_s;
  double const wall_s = now_s() - begin_s;
  long const memory_mb = peak_memory_mb();
  if (!end) {
    fmt::print(stderr, "{}\n", end.error().text);
    return 4;
  }
  double const open_s = now_s();
  Result<batch::StoredBatch> const stored = batch::open_batch(paths.folder);
  std::size_t const left = batch::outstanding(stored->request, stored->state).size();
  fmt::print(
      "{} operators of {} ms on {} devices: {:.1f} s, own CPU {:.2f} s ({:.2f} % of the batch, "
      "{:.0f} us an operator), {} MB; its log of {} events read in {:.2f} s, {} left\n",
      operators, sleep_ms, devices, wall_s, cpu_s, cpu_s / wall_s * 100, cpu_s / operators * 1e6,
      memory_mb, stored->log.events, now_s() - open_s, left);
  std::error_code ignored;
  fs::remove_all(name, ignored);
  return left == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "native-runner") return run_child(argv[2]);
  return measure(argc > 1 ? std::atoi(argv[1]) : 10'000, argc > 2 ? std::atoi(argv[2]) : 64,
                 argc > 3 ? argv[3] : "2000");
}
