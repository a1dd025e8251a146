#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "backend/source.h"

namespace zl::backend {

// Sources that read files only and that any vendor's descriptor may use.

// Device nodes that match a pattern and that this user can open, in the order of their numbers;
// index is the rank, since runtimes number what they can open from 0.
SourceAnswer ask_device_nodes(Source const& source, ProbeOptions const& options);

// One device behind a node without a number.
SourceAnswer ask_single_node(Source const& source, ProbeOptions const& options);

// /sys/bus/pci/devices by vendor id and class, in the order of their addresses.
SourceAnswer ask_pci(Source const& source, ProbeOptions const& options);

// The same, once the driver's own node can be opened: devices that can be used.
SourceAnswer ask_pci_with_node(Source const& source, ProbeOptions const& options);

// In the order of the addresses; functions without a readable vendor or class are left out.
std::vector<PciFunction> read_pci_bus(ProbeOptions const& options);

// This machine's own processor: one device.
SourceAnswer ask_host(Source const& source, ProbeOptions const& options);

// The same, on machines of the listed architectures only.
SourceAnswer ask_host_architecture(Source const& source, ProbeOptions const& options);

// <root>/<path below it>; `path` is absolute.
std::filesystem::path below_root(ProbeOptions const& options, std::string const& path);

// The trimmed text of a small file; empty when it cannot be read or holds nothing.
std::optional<std::string> small_file(std::filesystem::path const& path);

// Every entry of a folder whose name is a number, in the order of the numbers.
std::map<long long, std::filesystem::path> numbered_entries(std::filesystem::path const& folder,
                                                            std::string const& prefix = "",
                                                            std::string const& suffix = "");

bool can_open(std::filesystem::path const& path);

std::optional<std::uint64_t> parse_unsigned(std::string_view text);

}  // namespace zl::backend
