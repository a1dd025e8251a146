#include "run/calibration_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/json.h"

namespace zl::run {

namespace {

// A device's identifier is a vendor's: what no file name should have becomes a dash.
std::string to_file_word(std::string word) {
  for (char& c : word) {
    bool const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    if (!is_plain) c = '-';
  }
  return word;
}

// The worst of a field over a timer's lengths, as a share; empty where none has it.
std::optional<double> worst_share(Json const& timer, char const* field, char const* of) {
  std::optional<double> worst;
  Json const* const lengths = find_field(timer, "lengths");
  if (lengths == nullptr || !lengths->is_array()) return worst;
  for (Json const& length : *lengths) {
    std::optional<double> const value = number_field(length, field);
    std::optional<double> const whole = of == nullptr ? 1.0 : number_field(length, of);
    if (!value || !whole || *whole <= 0) continue;
    worst = std::max(worst.value_or(0), std::abs(*value) / *whole);
  }
  return worst;
}

Json timer_digest(Json const& timer) {
  Json digest = Json::object();
  for (char const* const field : {"null_ns", "slope", "offset_ns"}) {
    if (auto const value = number_field(timer, field)) digest[field] = *value;
  }
  if (auto const worst = worst_share(timer, "residual_ns", "truth_ns"))
    digest["worst_residual"] = *worst;
  if (auto const worst = worst_share(timer, "repeatability", nullptr))
    digest["worst_repeatability"] = *worst;
  return digest;
}

}  // namespace

fs::path calibration_file(fs::path const& runs, backend::Descriptor const& backend,
                          backend::Device const& device) {
  std::string const index = backend.is_host() ? "" : fmt::format("-{}", device.index);
  return runs / fmt::format("calibration-{}.json",
                            to_file_word(device.uuid.value_or(backend.name + index)));
}

Json calibration_digest(fs::path const& file) {
  Result<std::string> const text = read_file(file);
  std::optional<Json> const stored = text ? parse_json(*text) : std::nullopt;
  if (!stored) return Json();
  auto const date = string_field(*stored, "date_utc");
  auto const tick_ns = number_field(*stored, "tick_ns");
  Json const* const timers = find_field(*stored, "timers");
  if (!date || !tick_ns || timers == nullptr || !timers->is_array()) return Json();
  Json digest{{"date_utc", *date}, {"tick_ns", *tick_ns}, {"timers", Json::object()}};
  if (auto const driver = integer_field(*stored, "driver_version"))
    digest["driver_version"] = *driver;
  for (Json const& timer : *timers) {
    if (auto const name = string_field(timer, "timer"))
      digest["timers"][*name] = timer_digest(timer);
  }
  return digest;
}

}  // namespace zl::run
