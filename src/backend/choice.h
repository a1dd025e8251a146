#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/device.h"
#include "backend/registry.h"
#include "base/result.h"

namespace zl::backend {

// Devices of one backend on this host.
struct Presence {
  std::string backend;
  int devices = 0;
  bool reachable = false;  // see Enumeration; only reachable devices are a reason to choose
  std::string source;
  std::vector<std::string> notes;
  std::vector<std::string> failures;  // see Enumeration
};

// One entry for each backend that is not the host itself, in registry order. Asks cheap sources
// (nodes, sysfs) before vendor libraries, so the counts may differ from enumerate_devices.
std::vector<Presence> present_backends(Registry const& registry, ProbeOptions const& options);

struct Choice {
  Descriptor const* backend = nullptr;  // lives as long as the registry
  bool requested = false;               // named by the user, not chosen from what is here
  std::vector<std::string> notes;
};

// `requested`: --backend or ZL_BACKEND; blank counts as unset. Unset: the one backend whose devices
// are here, the host when there is none, a usage error when there are several.
Result<Choice> choose_backend(Registry const& registry, std::optional<std::string> const& requested,
                              std::vector<Presence> const& presence);

// The same, and looks at the machine only when nothing is requested.
Result<Choice> choose_backend(Registry const& registry, std::optional<std::string> const& requested,
                              ProbeOptions const& options);

}  // namespace zl::backend
