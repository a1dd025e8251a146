#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/descriptor.h"
#include "backend/device.h"

namespace zl::backend {

struct SourceAnswer {
  std::vector<Device> devices;
  std::vector<std::string> notes;
};

// How a kind of source is asked. The core knows the kinds through one table only.
struct SourceKind {
  // guarded: vendor code, or files that a driver fills by asking the device; either may hang or
  // crash, so it runs in a child.
  enum class Cost { files, guarded };
  enum class Proof { host, bus_only, reachable };  // what finding a device by it means

  std::string_view name;
  Cost cost;
  Proof proof;
  std::vector<std::string_view> parameters;  // the fields of Source that it takes; all are required
  SourceAnswer (*ask)(Source const& source, ProbeOptions const& options);
};

// vendors/source_kinds.cc
std::span<SourceKind const> source_kinds();

// Null when there is no such kind.
SourceKind const* find_source_kind(std::string_view name);

// For each backend the devices from the first of its sources that finds any, side by side.
std::vector<Enumeration> ask_sources(std::vector<std::vector<Source>> const& backends,
                                     ProbeOptions const& options);

}  // namespace zl::backend
