#include "backend/device.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "base/json.h"
#include "base/text.h"

namespace zl::backend {

namespace {

template <class T>
void put(Json& object, char const* name, std::optional<T> const& value) {
  if (value) object[name] = *value;
}

std::optional<std::uint64_t> bytes_field(Json const& object, char const* name) {
  auto const value = integer_field(object, name);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<unsigned> hex_number(std::string_view text, std::size_t max_digits) {
  unsigned value = 0;
  if (text.empty() || text.size() > max_digits) return std::nullopt;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Json to_json(Device const& device) {
  Json result = {{"index", device.index}};
  put(result, "uuid", device.uuid);
  put(result, "pci", device.pci);
  put(result, "name", device.name);
  put(result, "architecture", device.architecture);
  put(result, "node", device.node);
  put(result, "memory_total_bytes", device.memory_total_bytes);
  put(result, "memory_free_bytes", device.memory_free_bytes);
  put(result, "busy_processes", device.busy_processes);
  return result;
}

std::optional<Device> device_from_json(Json const& value) {
  auto const index = integer_field(value, "index");
  if (!index || *index < 0 || *index > std::numeric_limits<int>::max()) return std::nullopt;
  Device result;
  result.index = static_cast<int>(*index);
  result.uuid = string_field(value, "uuid");
  result.pci = string_field(value, "pci");
  result.name = string_field(value, "name");
  result.architecture = string_field(value, "architecture");
  result.node = string_field(value, "node");
  result.memory_total_bytes = bytes_field(value, "memory_total_bytes");
  result.memory_free_bytes = bytes_field(value, "memory_free_bytes");
  if (auto const busy = integer_field(value, "busy_processes")) {
    result.busy_processes = static_cast<int>(*busy);
  }
  return result;
}

std::optional<std::string> normalise_pci(std::string_view text) {
  std::vector<std::string> const parts = split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  std::vector<std::string> const last = split(parts[2], '.');
  if (last.size() != 2) return std::nullopt;
  auto const domain = hex_number(parts[0], 8);
  auto const bus = hex_number(parts[1], 2);
  auto const slot = hex_number(last[0], 2);
  auto const function = hex_number(last[1], 1);
  if (!domain || !bus || !slot || !function) return std::nullopt;
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", *domain, *bus, *slot, *function);
}

}  // namespace zl::backend
