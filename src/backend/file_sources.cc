#include "backend/file_sources.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <system_error>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

namespace zl::backend {

namespace {

// The value of the first "key : value" line.
std::optional<std::string> line_value(std::string const& text, std::string_view key) {
  for (std::string const& line : split(text, '\n')) {
    std::size_t const colon = line.find(':');
    if (colon == std::string::npos || trim(line.substr(0, colon)) != key) continue;
    return trim(line.substr(colon + 1));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> kib_line(std::string const& meminfo, std::string_view key) {
  auto const value = line_value(meminfo, key);
  if (!value || !ends_with(*value, " kB")) return std::nullopt;
  auto const kib = parse_unsigned(trim(value->substr(0, value->size() - 3)));
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

bool has_any_prefix(std::string const& text, std::vector<std::string> const& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string const& prefix) { return starts_with(text, prefix); });
}

std::optional<std::string> machine_architecture() {
  utsname machine{};
  if (::uname(&machine) != 0) return std::nullopt;
  return machine.machine;
}

}  // namespace

fs::path below_root(ProbeOptions const& options, std::string const& path) {
  return options.root / fs::path(path).relative_path();
}

std::optional<std::string> small_file(fs::path const& path) {
  auto const text = read_file(path);
  if (!text) return std::nullopt;
  std::string trimmed = trim(*text);
  if (trimmed.empty()) return std::nullopt;
  return trimmed;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool can_open(fs::path const& path) {
  return ::access(path.c_str(), R_OK | W_OK) == 0;
}

std::map<long long, fs::path> numbered_entries(fs::path const& folder, std::string const& prefix,
                                               std::string const& suffix) {
  std::map<long long, fs::path> result;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::string const name = entry->path().filename().string();
    if (name.size() <= prefix.size() + suffix.size()) continue;
    if (!starts_with(name, prefix) || !ends_with(name, suffix)) continue;
    std::string const digits =
        name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    auto const number = parse_integer(digits);
    if (number && *number >= 0 && digits.front() != '+') result.emplace(*number, entry->path());
  }
  return result;
}

SourceAnswer ask_device_nodes(Source const& source, ProbeOptions const& options) {
  SourceAnswer result;
  std::map<long long, std::string> nodes;
  for (std::string const& pattern : source.patterns) {
    fs::path const path(pattern);
    std::string const name = path.filename().string();
    std::size_t const number = name.find("{N}");
    auto const found = numbered_entries(below_root(options, path.parent_path().string()),
                                        name.substr(0, number), name.substr(number + 3));
    for (auto const& [value, file] : found) {
      std::string const node = (path.parent_path() / file.filename()).string();
      if (can_open(file)) {
        nodes.emplace(value, node);
      } else {
        result.notes.push_back(fmt::format("device_nodes: cannot open {}", node));
      }
    }
  }
  if (nodes.empty()) {
    result.notes.push_back(fmt::format("device_nodes: no {}", join(source.patterns, ", ")));
  }
  for (auto const& [value, node] : nodes) {
    Device device;
    device.index = static_cast<int>(result.devices.size());
    device.node = node;
    result.devices.push_back(std::move(device));
  }
  return result;
}

SourceAnswer ask_single_node(Source const& source, ProbeOptions const& options) {
  SourceAnswer result;
  if (!can_open(below_root(options, source.node))) {
    result.notes.push_back(
        fmt::format("single_node: no {}, or no permission to open it", source.node));
    return result;
  }
  Device device;
  device.node = source.node;
  result.devices.push_back(std::move(device));
  return result;
}

std::vector<PciFunction> read_pci_bus(ProbeOptions const& options) {
  std::vector<PciFunction> result;
  std::error_code code;
  fs::directory_iterator entry(below_root(options, "/sys/bus/pci/devices"), code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    auto const address = normalise_pci(entry->path().filename().string());
    auto const vendor = small_file(entry->path() / "vendor");
    auto const device_class = small_file(entry->path() / "class");
    if (address && vendor && device_class) result.push_back({*address, *vendor, *device_class});
  }
  std::sort(result.begin(), result.end(),
            [](PciFunction const& a, PciFunction const& b) { return a.address < b.address; });
  return result;
}

SourceAnswer ask_pci(Source const& source, ProbeOptions const& options) {
  SourceAnswer result;
  for (PciFunction const& function : options.bus ? *options.bus : read_pci_bus(options)) {
    if (function.vendor != source.pci_vendor_id) continue;
    if (!has_any_prefix(function.device_class, source.pci_classes)) continue;
    Device device;
    device.index = static_cast<int>(result.devices.size());
    device.pci = function.address;
    result.devices.push_back(std::move(device));
  }
  if (result.devices.empty()) {
    result.notes.push_back(fmt::format("pci: no device of vendor {} and class {}*",
                                       source.pci_vendor_id, join(source.pci_classes, "*, ")));
  }
  return result;
}

SourceAnswer ask_pci_with_node(Source const& source, ProbeOptions const& options) {
  if (can_open(below_root(options, source.node))) return ask_pci(source, options);
  return {
      {},
      {fmt::format("pci_with_node: no {}, or no permission to open it", source.node)},
  };
}

SourceAnswer ask_host(Source const&, ProbeOptions const& options) {
  Device device;
  auto const cpuinfo = read_file(below_root(options, "/proc/cpuinfo"));
  if (cpuinfo) device.name = line_value(*cpuinfo, "model name");
  auto const meminfo = read_file(below_root(options, "/proc/meminfo"));
  if (meminfo) {
    device.memory_total_bytes = kib_line(*meminfo, "MemTotal");
    device.memory_free_bytes = kib_line(*meminfo, "MemAvailable");
  }
  device.architecture = machine_architecture();
  return {{device}, {}};
}

SourceAnswer ask_host_architecture(Source const& source, ProbeOptions const& options) {
  std::string const here = machine_architecture().value_or("unknown");
  auto const& wanted = source.architectures;
  if (std::find(wanted.begin(), wanted.end(), here) != wanted.end()) {
    return ask_host(source, options);
  }
  return {{},
          {fmt::format("host_architecture: this machine is {}; this backend needs {}", here,
                       join(wanted, " or "))}};
}

}  // namespace zl::backend
