#pragma once

#include "backend/registry.h"
#include "run/plan.h"
#include "temp_folder.h"

namespace zl::run {

inline backend::Registry const& registry() {
  static backend::Registry const all = *backend::Registry::load({});
  return all;
}

inline backend::Descriptor const& host_backend() {
  for (backend::Descriptor const& backend : registry().all()) {
    if (backend.is_host() && backend.vendor.empty()) return backend;
  }
  std::abort();
}

// A plan whose child is tests/fakes/children/child.py, behaving as `op` says.
inline PlanRequest fake_request(std::string const& op, std::filesystem::path const& run_dir) {
  PlanRequest request;
  request.backend = &host_backend();
  request.known_vendors = registry().vendors();
  request.device = backend::Device{};
  request.operation.op = op;
  request.operation.provider = "native";
  request.operation.nodes = {"fake::" + op};
  request.operation.library = "library.so";
  request.places.self = std::string(ZL_SOURCE_DIR) + "/tests/fakes/children/child.py";
  request.places.run_dir = run_dir;
  request.places.cache_dir = run_dir / "cache";
  request.options.time_limit_s = 20;
  request.options.grace_s = 0.3;
  request.caller = {{"PATH", "/usr/bin:/bin"}};
  return request;
}

}  // namespace zl::run
