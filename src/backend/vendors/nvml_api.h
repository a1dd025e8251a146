// NVML's own structures, signatures and numbers (nvml.h): what the enumeration reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/library.h"

namespace zl::backend::nvml {

inline constexpr int kSuccess = 0;
inline constexpr int kNoPermission = 4;
inline constexpr int kInsufficientSize = 7;
inline constexpr int kDeviceIsLost = 15;
inline constexpr int kNeedsReset = 16;

inline constexpr int kCoreClock = 1;  // of the multiprocessors
inline constexpr int kMemoryClock = 2;
inline constexpr int kDeviceSensor = 0;
inline constexpr int kUncorrected = 1;
inline constexpr int kSinceDriverStart = 0;

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);

struct Memory {
  unsigned long long total, free, used;
};

// What all versions of an entry of the process list begin with; how far they are apart differs.
struct ProcessInfo {
  unsigned pid;
  std::uint64_t used_bytes;  // all ones: not known
};
static_assert(sizeof(ProcessInfo) == 16 && offsetof(ProcessInfo, used_bytes) == 8);

using GetText = int (*)(void*, char*, unsigned);
using GetNumber = int (*)(void*, unsigned*);
using GetClock = int (*)(void*, int clock, unsigned* mhz);
using GetProcesses = int (*)(void*, unsigned* count, void* list);

struct Api {
  int (*init)();
  int (*shutdown)();
  char const* (*error_string)(int);
  int (*driver_version)(char*, unsigned);
  int (*count)(unsigned*);
  int (*by_index)(unsigned, void**);
  GetText uuid;
  GetText name;
  int (*pci)(void*, PciInfo*);
  int (*compute_capability)(void*, int*, int*);
  int (*memory)(void*, Memory*);
  GetProcesses processes;
  GetProcesses processes_v1;
  int (*conf_compute)(void*, void*);     // never called: its presence tells the driver's age
  int (*process_details)(void*, void*);  // as well
  GetClock clock;
  GetClock max_clock;
  int (*clock_reasons)(void*, unsigned long long*);
  int (*temperature)(void*, int sensor, unsigned* degrees);
  GetNumber power_mw;
  GetNumber power_limit_mw;
  int (*ecc_errors)(void*, int type, int counter, unsigned long long*);
  int (*pages_pending)(void*, int* is_pending);
  int (*remapped_rows)(void*, unsigned* correctable, unsigned* uncorrectable, unsigned* is_pending,
                       unsigned* has_failed);
  int (*mig_mode)(void*, unsigned* current, unsigned* pending);
  GetNumber max_mig_count;
  int (*mig_by_index)(void*, unsigned, void**);
};

// The suffixed names: an unsuffixed symbol in the library is the oldest ABI, not the newest.
#define ZL_NVML_ROWS(ROW)                                                                  \
  ROW(nvmlInit_v2, "nvmlInit", init, true)                                                 \
  ROW(nvmlShutdown, nullptr, shutdown, false)                                              \
  ROW(nvmlErrorString, nullptr, error_string, false)                                       \
  ROW(nvmlSystemGetDriverVersion, nullptr, driver_version, false)                          \
  ROW(nvmlDeviceGetCount_v2, "nvmlDeviceGetCount", count, true)                            \
  ROW(nvmlDeviceGetHandleByIndex_v2, "nvmlDeviceGetHandleByIndex", by_index, true)         \
  ROW(nvmlDeviceGetUUID, nullptr, uuid, false)                                             \
  ROW(nvmlDeviceGetName, nullptr, name, false)                                             \
  ROW(nvmlDeviceGetPciInfo_v3, nullptr, pci, false)                                        \
  ROW(nvmlDeviceGetCudaComputeCapability, nullptr, compute_capability, false)              \
  ROW(nvmlDeviceGetMemoryInfo, nullptr, memory, false)                                     \
  ROW(nvmlDeviceGetComputeRunningProcesses_v3, "nvmlDeviceGetComputeRunningProcesses_v2",  \
      processes, false)                                                                    \
  ROW(nvmlDeviceGetComputeRunningProcesses, nullptr, processes_v1, false)                  \
  ROW(nvmlDeviceGetConfComputeMemSizeInfo, nullptr, conf_compute, false)                   \
  ROW(nvmlDeviceGetRunningProcessDetailList, nullptr, process_details, false)              \
  ROW(nvmlDeviceGetClockInfo, nullptr, clock, false)                                       \
  ROW(nvmlDeviceGetMaxClockInfo, nullptr, max_clock, false)                                \
  ROW(nvmlDeviceGetCurrentClocksEventReasons, "nvmlDeviceGetCurrentClocksThrottleReasons", \
      clock_reasons, false)                                                                \
  ROW(nvmlDeviceGetTemperature, nullptr, temperature, false)                               \
  ROW(nvmlDeviceGetPowerUsage, nullptr, power_mw, false)                                   \
  ROW(nvmlDeviceGetEnforcedPowerLimit, nullptr, power_limit_mw, false)                     \
  ROW(nvmlDeviceGetTotalEccErrors, nullptr, ecc_errors, false)                             \
  ROW(nvmlDeviceGetRetiredPagesPendingStatus, nullptr, pages_pending, false)               \
  ROW(nvmlDeviceGetRemappedRows, nullptr, remapped_rows, false)                            \
  ROW(nvmlDeviceGetMigMode, nullptr, mig_mode, false)                                      \
  ROW(nvmlDeviceGetMaxMigDeviceCount, nullptr, max_mig_count, false)                       \
  ROW(nvmlDeviceGetMigDeviceHandleByIndex, nullptr, mig_by_index, false)

#define ZL_ROW(symbol, older, member, required) {#symbol, older, offsetof(Api, member), required},
inline constexpr Symbol kSymbols[] = {ZL_NVML_ROWS(ZL_ROW)};
#undef ZL_ROW

// Of nvmlClocksEventReasons.
struct ClockReason {
  unsigned long long bit;
  char const* text;
};
inline constexpr ClockReason kClockReasons[] = {
    {0x1, "idle"},        {0x2, "application_clocks"}, {0x4, "power_cap"},
    {0x8, "hw_slowdown"}, {0x10, "sync_boost"},        {0x20, "sw_thermal"},
    {0x40, "hw_thermal"}, {0x80, "hw_power_brake"},    {0x100, "display_clocks"},
};

}  // namespace zl::backend::nvml
