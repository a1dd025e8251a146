#include "run/parent_identity.h"

#include <chrono>
#include <cmath>
#include <gnu/libc-version.h>
#include <set>

#include "base/host.h"
#include "base/json.h"
#include "run/calibration_file.h"

namespace zl::run {

namespace {

// A field of the device that its backend's library does not give is null in the identity.
constexpr char const* kDeviceFields[] = {
    "uuid", "pci", "name", "architecture", "driver", "memory_total_bytes", "memory_free_bytes"};

Json known_host(Json& unknown) {
  static Json const facts = host_facts();  // the processor's name is in a file that is slow to read
  Json host = facts;
  if (host["processor"] == "") {
    host["processor"] = nullptr;
    unknown["host.processor"] = "/proc/cpuinfo has no model name";
  }
  return host;
}

Json known_device(Json device, std::string const& backend, Json& unknown) {
  if (device.is_null()) {
    unknown["device"] = "no device is pinned";
    return device;
  }
  for (char const* const field : kDeviceFields) {
    if (device.contains(field)) continue;
    device[field] = nullptr;
    unknown[std::string("device.") + field] =
        "the enumeration of backend " + backend + " does not give it";
  }
  return device;
}

// A file of shapes is known by its content: the same path may hold others tomorrow.
Json known_shapes(Json shapes, Json& unknown) {
  std::optional<std::string> const path = string_field(shapes, "path");
  if (!path) return shapes;
  Result<std::string> const text = read_file(*path);
  shapes["hash"] = text ? Json(content_hash(*text)) : Json(nullptr);
  if (!text) unknown["shapes.hash"] = text.error().text;
  return shapes;
}

Json calibers_of(results::OpState const& state) {
  std::set<std::string> calibers;
  for (results::Case const& one : state.cases) {
    if (one.baseline) calibers.insert(one.baseline->caliber);
    if (one.candidate) calibers.insert(one.candidate->caliber);
  }
  return calibers;
}

// The folder for runs holds batches, and these their runs.
Json known_calibration(Plan const& plan) {
  if (!plan.device) return Json();
  fs::path const runs = plan.run_dir.parent_path().parent_path();
  return calibration_digest(calibration_file(runs, *plan.backend, *plan.device));
}

double round_to_us(double ms) {
  return std::round(ms * 1e3) / 1e3;
}

}  // namespace

Json parent_identity(Plan const& plan, results::OpState const& state) {
  auto const begin = std::chrono::steady_clock::now();
  Json const written = parse_json(to_json_text(plan)).value_or(Json::object());
  Json unknown = Json::object();
  Json identity{
      {"format", 1},
      {"zlbench", own_version()},
      {"host", known_host(unknown)},
      {"glibc", ::gnu_get_libc_version()},
      {"operator", plan.op},
      {"nodes", plan.nodes},
      {"provider", plan.provider},
      {"backend", plan.backend->name},
      {"backend_chosen_by", plan.backend_reason},
      {"vendor", plan.backend->vendor},
      {"descriptor", plan.backend->origin},
      {"descriptor_verified", plan.backend->verified},
      {"device", known_device(written.value("device", Json()), plan.backend->name, unknown)},
      {"timer", plan.timer},
      {"calibers", calibers_of(state)},
      {"level", plan.options.level},
      {"dtypes", plan.options.dtypes},
      {"shapes", known_shapes(written.value("shapes", Json::object()), unknown)},
      {"corpus_arguments", plan.options.corpus_arguments}};
  if (plan.backend->vendor.empty()) {
    identity["vendor"] = nullptr;
    unknown["vendor"] = "backend " + plan.backend->name + " has no vendor in the corpus";
  }
  if (Json const calibration = known_calibration(plan); !calibration.is_null())
    identity["calibration"] = calibration;
  identity["unknown"] = unknown;
  std::chrono::duration<double, std::milli> const spent = std::chrono::steady_clock::now() - begin;
  identity["identity_cost_ms"] = round_to_us(spent.count());
  return identity;
}

}  // namespace zl::run
