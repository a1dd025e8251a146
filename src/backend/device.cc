#include "backend/device.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "base/json.h"
#include "base/text.h"

namespace zl::backend {

namespace {

Json to_value(std::string const& value) {
  return value;
}
Json to_value(double value) {
  return value;
}
Json to_value(int value) {
  return value;
}
Json to_value(std::uint64_t value) {
  return value;
}
Json to_value(DeviceProcess const& process);
Json to_value(DeviceInstance const& instance);
template <class T>
Json to_value(std::vector<T> const& values) {
  Json result = Json::array();
  for (T const& value : values) result.push_back(to_value(value));
  return result;
}

bool from_value(Json const& json, std::string& value) {
  if (json.is_string()) value = json.get<std::string>();
  return json.is_string();
}
bool from_value(Json const& json, double& value) {
  if (json.is_number()) value = json.get<double>();
  return json.is_number();
}
bool from_value(Json const& json, std::uint64_t& value) {
  bool const fits = json.is_number_unsigned() || (json.is_number_integer() && json >= 0);
  if (fits) value = json.get<std::uint64_t>();
  return fits;
}
bool from_value(Json const& json, int& value) {
  bool const fits =
      json.is_number_integer() && json >= 0 && json <= std::numeric_limits<int>::max();
  if (fits) value = json.get<int>();
  return fits;
}
bool from_value(Json const& json, DeviceProcess& process);
bool from_value(Json const& json, DeviceInstance& instance);
template <class T>
bool from_value(Json const& json, std::vector<T>& values) {
  if (!json.is_array()) return false;
  for (Json const& each : json) {
    T value;
    if (from_value(each, value)) values.push_back(std::move(value));
  }
  return true;
}

// Both ways through the same list of fields, so that no field is written and not read.
class Writer {
 public:
  explicit Writer(Json& object) : object_(object) {}
  template <class T>
  void operator()(char const* name, std::optional<T> const& value) {
    if (value) object_[name] = to_value(*value);
  }

 private:
  Json& object_;
};

class Reader {
 public:
  explicit Reader(Json const& object) : object_(object) {}
  template <class T>
  void operator()(char const* name, std::optional<T>& value) {
    Json const* const field = find_field(object_, name);
    T read{};
    if (field != nullptr && from_value(*field, read)) value = std::move(read);
  }

 private:
  Json const& object_;
};

template <class DeviceT, class Visit>
void each_lasting_field(DeviceT& device, Visit visit) {
  visit("uuid", device.uuid);
  visit("pci", device.pci);
  visit("name", device.name);
  visit("architecture", device.architecture);
  visit("driver", device.driver);
  visit("node", device.node);
  visit("memory_total_bytes", device.memory_total_bytes);
  visit("memory_free_bytes", device.memory_free_bytes);
  visit("busy_processes", device.busy_processes);
}

template <class Readings, class Visit>
void each_reading(Readings& readings, Visit visit) {
  visit("clock_mhz", readings.clock_mhz);
  visit("clock_max_mhz", readings.clock_max_mhz);
  visit("memory_clock_mhz", readings.memory_clock_mhz);
  visit("memory_clock_max_mhz", readings.memory_clock_max_mhz);
  visit("temperature_c", readings.temperature_c);
  visit("power_w", readings.power_w);
  visit("power_limit_w", readings.power_limit_w);
  visit("health", readings.health);
  visit("throttle_reasons", readings.throttle_reasons);
  visit("processes", readings.processes);
  visit("instances", readings.instances);
}

template <class Instance, class Visit>
void each_instance_field(Instance& instance, Visit visit) {
  visit("uuid", instance.uuid);
  visit("name", instance.name);
  visit("memory_total_bytes", instance.memory_total_bytes);
}

Json to_value(DeviceProcess const& process) {
  Json object = {{"pid", process.pid}};
  Writer write(object);
  write("memory_bytes", process.memory_bytes);
  return object;
}

bool from_value(Json const& json, DeviceProcess& process) {
  auto const pid = integer_field(json, "pid");
  if (!pid) return false;
  process.pid = *pid;
  Reader read(json);
  read("memory_bytes", process.memory_bytes);
  return true;
}

Json to_value(DeviceInstance const& instance) {
  Json object = Json::object();
  each_instance_field(instance, Writer(object));
  return object;
}

bool from_value(Json const& json, DeviceInstance& instance) {
  each_instance_field(instance, Reader(json));
  return json.is_object();
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
  each_lasting_field(device, Writer(result));
  return result;
}

Json to_json_with_readings(Device const& device) {
  Json result = to_json(device);
  each_reading(device.readings, Writer(result));
  return result;
}

std::optional<Device> device_from_json(Json const& value) {
  auto const index = integer_field(value, "index");
  if (!index || *index < 0 || *index > std::numeric_limits<int>::max()) return std::nullopt;
  Device result;
  result.index = static_cast<int>(*index);
  each_lasting_field(result, Reader(value));
  each_reading(result.readings, Reader(value));
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
