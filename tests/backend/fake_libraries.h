// Asks one source about a stand-in for its library (tests/fakes/vendor_lib).
#pragma once

#include <string>

#include "backend/device.h"
#include "backend/support.h"

namespace zl::backend {

inline std::string const kFakes = ZL_BINARY_DIR "/tests/fakes/vendor_lib/";

inline std::string source_of(std::string const& kind, std::string const& library) {
  return "{kind: " + kind + ", libraries: ['" + library + "']}";
}

inline ProbeOptions probe_options(double limit_s = 20) {
  ProbeOptions options;
  options.root = "/nonexistent";
  options.limit_s = limit_s;
  return options;
}

inline Enumeration ask(std::string const& kind, std::string const& library, double limit_s = 20,
                       Environment environment = {}) {
  ProbeOptions options = probe_options(limit_s);
  options.environment = std::move(environment);
  return enumerate_devices(
      parsed(small_descriptor("x", "", "sources: [" + source_of(kind, library) + "]")), options);
}

}  // namespace zl::backend
