// amdsmi's own signatures and numbers (amdsmi.h, releases 24 to 26): what the enumeration reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/library.h"

namespace zl::backend::amdsmi {

inline constexpr int kSuccess = 0;
inline constexpr std::uint64_t kGpus = 2;  // of the kinds of processors to start for
inline constexpr int kGpu = 1;             // a type of processor
inline constexpr int kCoreClock = 0;
inline constexpr int kMemoryClock = 4;
inline constexpr int kEdge = 0;          // of the temperature sensors
inline constexpr int kCurrent = 0;       // of the metrics of a temperature
inline constexpr int kDeviceMemory = 0;  // a type of memory

// Where the fields lie that are read.
inline constexpr std::size_t kClockNow = 0;
inline constexpr std::size_t kClockMax = 8;
inline constexpr std::size_t kUncorrected = 8;
inline constexpr std::size_t kNode = 8;

using GetStructure = int (*)(void*, void*);
using GetMemory = int (*)(void*, int type, std::uint64_t*);

// Structures are declared as void, enumerations as their underlying integer.
struct Api {
  int (*init)(std::uint64_t);
  int (*shut_down)();
  int (*code_text)(int, char const**);
  int (*sockets)(std::uint32_t* count, void**);
  int (*processors)(void* socket, std::uint32_t* count, void**);
  int (*type)(void*, int*);
  int (*address)(void*, std::uint64_t*);
  GetStructure asic;
  GetStructure node;
  GetMemory memory_total;
  GetMemory memory_used;
  int (*clock)(void*, int clock, void*);
  int (*temperature)(void*, int sensor, int metric, std::int64_t*);
  GetStructure errors;
};

#define ZL_AMDSMI_ROWS(ROW)                             \
  ROW(amdsmi_init, init, true)                          \
  ROW(amdsmi_shut_down, shut_down, false)               \
  ROW(amdsmi_status_code_to_string, code_text, false)   \
  ROW(amdsmi_get_socket_handles, sockets, true)         \
  ROW(amdsmi_get_processor_handles, processors, true)   \
  ROW(amdsmi_get_processor_type, type, true)            \
  ROW(amdsmi_get_gpu_device_bdf, address, true)         \
  ROW(amdsmi_get_gpu_asic_info, asic, false)            \
  ROW(amdsmi_get_gpu_kfd_info, node, false)             \
  ROW(amdsmi_get_gpu_memory_total, memory_total, false) \
  ROW(amdsmi_get_gpu_memory_usage, memory_used, false)  \
  ROW(amdsmi_get_clock_info, clock, false)              \
  ROW(amdsmi_get_temp_metric, temperature, false)       \
  ROW(amdsmi_get_gpu_total_ecc_count, errors, false)

#define ZL_ROW(symbol, member, required) {#symbol, nullptr, offsetof(Api, member), required},
inline constexpr Symbol kSymbols[] = {ZL_AMDSMI_ROWS(ZL_ROW)};
#undef ZL_ROW

}  // namespace zl::backend::amdsmi
