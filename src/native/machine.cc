#include "native/machine.h"

#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace zl::native {

namespace {

std::string cpu_model() {
  auto const text = read_file("/proc/cpuinfo");
  if (!text) return {};
  for (std::string const& line : split(*text, '\n')) {
    auto const colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string const key = trim(line.substr(0, colon));
    // The second is how some Arm kernels call it.
    if (key == "model name" || key == "Hardware") return trim(line.substr(colon + 1));
  }
  return {};
}

// "0-1,4": the CPUs that this process may run on.
std::string affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  std::vector<std::string> ranges;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    ranges.push_back(last == cpu ? std::to_string(cpu) : fmt::format("{}-{}", cpu, last));
    cpu = last;
  }
  return join(ranges, ",");
}

}  // namespace

nlohmann::json machine_identity() {
  nlohmann::json identity = {{"cpus_online", ::sysconf(_SC_NPROCESSORS_ONLN)},
                             {"runner_compiler", __VERSION__}};
  auto const add = [&](char const* name, std::string const& value) {
    if (!value.empty()) identity[name] = value;
  };
  add("cpu_model", cpu_model());
  add("cpu_affinity", affinity());
  auto const governor = read_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor) add("cpu_governor", trim(*governor));
  double load = 0;
  if (::getloadavg(&load, 1) == 1) identity["load_average_1min"] = load;
  return identity;
}

}  // namespace zl::native
