// rocm_smi's own signatures and numbers (rocm_smi.h): what the enumeration reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/library.h"

namespace zl::backend::rocm_smi {

inline constexpr int kSuccess = 0;
inline constexpr int kDriver = 0;          // a component that has a version
inline constexpr int kDeviceMemory = 0;    // a type of memory
inline constexpr int kCurrent = 0;         // of the metrics of a temperature
inline constexpr std::uint32_t kEdge = 0;  // of the temperature sensors
inline constexpr std::uint64_t kMemoryBlock = 1;

struct ErrorCount {
  std::uint64_t corrected, uncorrected;
};

struct Process {
  std::uint32_t pid, address_space;
  std::uint64_t memory_bytes, copied_bytes;
  std::uint32_t occupancy;
};
static_assert(sizeof(Process) == 32);

using GetNumber = int (*)(std::uint32_t device, std::uint64_t*);
using GetMemory = int (*)(std::uint32_t device, int type, std::uint64_t* bytes);

// Functions of enumerations are declared with their underlying integer.
struct Api {
  int (*init)(std::uint64_t flags);
  int (*shut_down)();
  int (*status_string)(int, char const**);
  int (*version)(int component, char*, std::uint32_t);
  int (*count)(std::uint32_t*);
  int (*name)(std::uint32_t device, char*, std::size_t);
  GetNumber pci;
  GetNumber unique_id;
  int (*node)(std::uint32_t device, std::uint32_t*);
  GetMemory memory_total;
  GetMemory memory_used;
  int (*temperature)(std::uint32_t device, std::uint32_t sensor, int metric, std::int64_t* mc);
  int (*power)(std::uint32_t device, std::uint64_t* uw, int* type);
  int (*average_power)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* uw);
  int (*power_cap)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* uw);
  int (*errors)(std::uint32_t device, std::uint64_t block, ErrorCount*);
  int (*processes)(Process*, std::uint32_t* count);
  int (*process_devices)(std::uint32_t pid, std::uint32_t* devices, std::uint32_t* count);
};

// rsmi_dev_node_id_get and rsmi_dev_power_get came with ROCm 6. The frequencies are left out: their
// structure differs between releases that no symbol tells apart.
#define ZL_ROCM_SMI_ROWS(ROW)                          \
  ROW(rsmi_init, init, true)                           \
  ROW(rsmi_shut_down, shut_down, false)                \
  ROW(rsmi_status_string, status_string, false)        \
  ROW(rsmi_version_str_get, version, false)            \
  ROW(rsmi_num_monitor_devices, count, true)           \
  ROW(rsmi_dev_name_get, name, false)                  \
  ROW(rsmi_dev_pci_id_get, pci, true)                  \
  ROW(rsmi_dev_unique_id_get, unique_id, false)        \
  ROW(rsmi_dev_memory_total_get, memory_total, false)  \
  ROW(rsmi_dev_memory_usage_get, memory_used, false)   \
  ROW(rsmi_dev_temp_metric_get, temperature, false)    \
  ROW(rsmi_dev_power_ave_get, average_power, false)    \
  ROW(rsmi_dev_power_cap_get, power_cap, false)        \
  ROW(rsmi_dev_ecc_count_get, errors, false)           \
  ROW(rsmi_compute_process_info_get, processes, false) \
  ROW(rsmi_compute_process_gpus_get, process_devices, false)
#define ZL_ROCM_SMI_NEW_ROWS(ROW)        \
  ROW(rsmi_dev_node_id_get, node, false) \
  ROW(rsmi_dev_power_get, power, false)

#define ZL_ROW(symbol, member, required) {#symbol, nullptr, offsetof(Api, member), required},
inline constexpr Symbol kSymbols[] = {ZL_ROCM_SMI_ROWS(ZL_ROW) ZL_ROCM_SMI_NEW_ROWS(ZL_ROW)};
#undef ZL_ROW

}  // namespace zl::backend::rocm_smi
