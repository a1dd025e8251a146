#include "backend/file_sources.h"
#include "backend/source.h"
#include "backend/vendors/vendor_sources.h"

namespace zl::backend {

// Every kind of source that a descriptor may name. A vendor whose devices none of these can find
// adds a file here and a row below.
std::span<SourceKind const> source_kinds() {
  using Cost = SourceKind::Cost;
  using Proof = SourceKind::Proof;
  static SourceKind const kinds[] = {
      {"nvml", Cost::guarded, Proof::reachable, {"libraries"}, ask_nvml},
      {"mtml", Cost::guarded, Proof::reachable, {"libraries"}, ask_mtml},
      {"dcmi", Cost::guarded, Proof::reachable, {"libraries"}, ask_dcmi},
      {"amdsmi", Cost::guarded, Proof::reachable, {"libraries"}, ask_amdsmi},
      {"rocm_smi", Cost::guarded, Proof::reachable, {"libraries"}, ask_rocm_smi},
      {"kfd", Cost::guarded, Proof::reachable, {"pci_vendor_id"}, ask_kfd},
      {"device_nodes", Cost::files, Proof::reachable, {"patterns"}, ask_device_nodes},
      {"single_node", Cost::files, Proof::reachable, {"node"}, ask_single_node},
      {"pci_with_node",
       Cost::files,
       Proof::reachable,
       {"pci_vendor_id", "pci_classes", "node"},
       ask_pci_with_node},
      {"pci", Cost::files, Proof::bus_only, {"pci_vendor_id", "pci_classes"}, ask_pci},
      {"host", Cost::files, Proof::host, {}, ask_host},
      {"host_architecture", Cost::files, Proof::host, {"architectures"}, ask_host_architecture},
  };
  return kinds;
}

}  // namespace zl::backend
