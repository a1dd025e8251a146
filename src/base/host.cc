#include "base/host.h"

#include <ctime>
#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"

namespace zl {

namespace {

std::string processor_name() {
  Result<std::string> const text = read_file("/proc/cpuinfo");
  if (!text) return "";
  for (std::string const& line : split(*text, '\n')) {
    std::size_t const colon = line.find(':');
    if (starts_with(line, "model name") && colon != std::string::npos)
      return trim(line.substr(colon + 1));
  }
  return "";
}

}  // namespace

std::string own_version() {
  return "zlbench " ZL_VERSION;
}

std::string host_name() {
  utsname names{};
  ::uname(&names);
  return names.nodename;
}

nlohmann::json host_facts() {
  utsname names{};
  ::uname(&names);
  return {{"name", names.nodename},
          {"kernel", names.release},
          {"machine", names.machine},
          {"processor", processor_name()},
          {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)}};
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace zl
