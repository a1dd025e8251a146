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
inline constexpr Symbol kSymbols[] = {
    {"nvmlInit_v2", "nvmlInit", offsetof(Api, init), true},
    {"nvmlShutdown", nullptr, offsetof(Api, shutdown), false},
    {"nvmlErrorString", nullptr, offsetof(Api, error_string), false},
    {"nvmlSystemGetDriverVersion", nullptr, offsetof(Api, driver_version), false},
    {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", offsetof(Api, count), true},
    {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", offsetof(Api, by_index), true},
    {"nvmlDeviceGetUUID", nullptr, offsetof(Api, uuid), false},
    {"nvmlDeviceGetName", nullptr, offsetof(Api, name), false},
    {"nvmlDeviceGetPciInfo_v3", nullptr, offsetof(Api, pci), false},
    {"nvmlDeviceGetCudaComputeCapability", nullptr, offsetof(Api, compute_capability), false},
    {"nvmlDeviceGetMemoryInfo", nullptr, offsetof(Api, memory), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
     offsetof(Api, processes), false},
    {"nvmlDeviceGetComputeRunningProcesses", nullptr, offsetof(Api, processes_v1), false},
    {"nvmlDeviceGetConfComputeMemSizeInfo", nullptr, offsetof(Api, conf_compute), false},
    {"nvmlDeviceGetRunningProcessDetailList", nullptr, offsetof(Api, process_details), false},
    {"nvmlDeviceGetClockInfo", nullptr, offsetof(Api, clock), false},
    {"nvmlDeviceGetMaxClockInfo", nullptr, offsetof(Api, max_clock), false},
    {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     offsetof(Api, clock_reasons), false},
    {"nvmlDeviceGetTemperature", nullptr, offsetof(Api, temperature), false},
    {"nvmlDeviceGetPowerUsage", nullptr, offsetof(Api, power_mw), false},
    {"nvmlDeviceGetEnforcedPowerLimit", nullptr, offsetof(Api, power_limit_mw), false},
    {"nvmlDeviceGetTotalEccErrors", nullptr, offsetof(Api, ecc_errors), false},
    {"nvmlDeviceGetRetiredPagesPendingStatus", nullptr, offsetof(Api, pages_pending), false},
    {"nvmlDeviceGetRemappedRows", nullptr, offsetof(Api, remapped_rows), false},
    {"nvmlDeviceGetMigMode", nullptr, offsetof(Api, mig_mode), false},
    {"nvmlDeviceGetMaxMigDeviceCount", nullptr, offsetof(Api, max_mig_count), false},
    {"nvmlDeviceGetMigDeviceHandleByIndex", nullptr, offsetof(Api, mig_by_index), false},
};

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
