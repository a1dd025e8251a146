/* A stand-in for NVML, scripted by environment variables:
 *   FAKE_NVML_DEVICES=N          how many devices (default 1)
 *   FAKE_NVML_INIT=hang|crash|E  nvmlInit hangs, crashes or returns the code E
 *   FAKE_NVML_NO_PERMISSION=I    device I may not be opened
 *   FAKE_NVML_LOST=I             device I is lost: its handle is given, every query of it fails
 *   FAKE_NVML_LOST_AFTER=N       it answers N queries before
 *   FAKE_NVML_PROCESSES=N        processes on device 0 (default 0): pids 100, 101, ..., the second
 *                                of them without a size of its memory
 *   FAKE_NVML_GROWING=1          one process more with every look at the list
 *   FAKE_NVML_MIG=N              device 0 is split into N instances, with a gap after the first
 *   FAKE_NVML_REASONS=BITS       why the clock of device 0 is what it is (default 0)
 *   FAKE_NVML_ECC=N              uncorrected errors of device 0 (default 0)
 *   FAKE_NVML_ROWS=pending|failed  of its remapped rows
 * FAKE_NVML_OLD: only the process list and the clock's reasons of older drivers.
 * FAKE_NVML_OLDEST: the process list without a version, of 16 bytes an entry.
 * FAKE_NVML_WIDE: the process list of 32 bytes an entry, with what tells such a driver.
 * FAKE_NVML_WITHOUT_COUNT: a required symbol is missing. */
#include "fake_state.h"

enum {
  SUCCESS = 0,
  INVALID_ARGUMENT = 2,
  NO_PERMISSION = 4,
  NOT_FOUND = 6,
  INSUFFICIENT_SIZE = 7,
  GPU_IS_LOST = 15,
  PARTS = 0x1000 /* handles of instances lie above */
};

typedef struct {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
} pci_info;

typedef struct {
  unsigned long long total, free, used;
} memory_info;

/* Of the lost device, since the start. */
static long answered;

static int state_of(void* device) {
  if (number("FAKE_NVML_LOST", -1) != (long)index_of(device)) return SUCCESS;
  return answered++ < number("FAKE_NVML_LOST_AFTER", 0) ? SUCCESS : GPU_IS_LOST;
}

/* Who has started the library and not shut it down. */
int fake_nvml_users;

int nvmlInit_v2(void) {
  int const code = started("FAKE_NVML_INIT");
  if (code == SUCCESS) ++fake_nvml_users;
  answered = 0;
  return code;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  snprintf(text, length, "580.1.fake");
  return SUCCESS;
}

int nvmlShutdown(void) {
  --fake_nvml_users;
  return SUCCESS;
}

char const* nvmlErrorString(int code) {
  if (code == 9) return "Driver Not Loaded";
  if (code == 18) return "Driver/library version mismatch";
  if (code == GPU_IS_LOST) return "GPU is lost";
  return "Unknown Error";
}

#ifndef FAKE_NVML_WITHOUT_COUNT
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = (unsigned)number("FAKE_NVML_DEVICES", 1);
  return SUCCESS;
}
#endif

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (number("FAKE_NVML_NO_PERMISSION", -1) == (long)index) return NO_PERMISSION;
  *device = (void*)(uintptr_t)(index + 1);
  return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(char const* address, void** device) {
  unsigned domain, bus;
  int const parts = sscanf(address, "%x:%x:", &domain, &bus);
  if (parts != 2 || domain != 0 || bus - 0x0f >= number("FAKE_NVML_DEVICES", 1)) return NOT_FOUND;
  return nvmlDeviceGetHandleByIndex_v2(bus - 0x0f, device);
}

static int is_part(void* device) {
  return (uintptr_t)device > PARTS;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  if (is_part(device)) {
    snprintf(text, length, "MIG-%08x-1111-2222-3333-444444444444",
             (unsigned)((uintptr_t)device - PARTS));
    return SUCCESS;
  }
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  snprintf(text, length, "GPU-%08x-1111-2222-3333-444444444444", 0xa0000000u + index_of(device));
  return SUCCESS;
}

int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  puts("a library that prints");
  snprintf(text, length, is_part(device) ? "Fake H200 MIG 1g.18gb" : "Fake H200");
  return SUCCESS;
}

int nvmlDeviceGetPciInfo_v3(void* device, pci_info* info) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  memset(info, 0, sizeof(*info));
  snprintf(info->bus_id, sizeof(info->bus_id), "00000000:%02X:00.0", 0x0f + index_of(device));
  return SUCCESS;
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *major = 9;
  *minor = 0;
  return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void* device, memory_info* info) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  info->total = is_part(device) ? 18000000000ull : 150000000000ull;
  info->used = is_part(device) ? 0 : 50000000000ull;
  info->free = info->total - info->used;
  return SUCCESS;
}

#ifdef FAKE_NVML_OLDEST
enum { ENTRY_BYTES = 16 };
#define PROCESSES nvmlDeviceGetComputeRunningProcesses
#elif defined FAKE_NVML_OLD
enum { ENTRY_BYTES = 24 };
#define PROCESSES nvmlDeviceGetComputeRunningProcesses_v2
#else
#ifdef FAKE_NVML_WIDE
enum { ENTRY_BYTES = 32 };
int nvmlDeviceGetConfComputeMemSizeInfo(void* device, void* info) {
  return device == info ? SUCCESS : INVALID_ARGUMENT;
}
#else
enum { ENTRY_BYTES = 24 };
#endif
#define PROCESSES nvmlDeviceGetComputeRunningProcesses_v3
#endif

int PROCESSES(void* device, unsigned* count, void* list) {
  static unsigned looks;
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  unsigned running = index_of(device) == 0 ? (unsigned)number("FAKE_NVML_PROCESSES", 0) : 0;
  if (number("FAKE_NVML_GROWING", 0) != 0) running += 5 * looks++;
  unsigned const room = *count;
  if (list == NULL && room != 0) return INVALID_ARGUMENT;
  *count = running;
  if (running > room) return INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < running; ++i) {
    char* const entry = (char*)list + i * ENTRY_BYTES;
    unsigned const pid = 100 + i;
    unsigned long long const bytes = i == 1 ? ~0ull : 1000ull * (i + 1);
    memset(entry, 0xff, ENTRY_BYTES);
    memcpy(entry, &pid, sizeof(pid));
    memcpy(entry + 8, &bytes, sizeof(bytes));
  }
  return SUCCESS;
}

#if defined FAKE_NVML_OLD || defined FAKE_NVML_OLDEST
#define CLOCK_REASONS nvmlDeviceGetCurrentClocksThrottleReasons
#else
#define CLOCK_REASONS nvmlDeviceGetCurrentClocksEventReasons
#endif

int CLOCK_REASONS(void* device, unsigned long long* reasons) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *reasons = index_of(device) == 0 ? (unsigned long long)number("FAKE_NVML_REASONS", 0) : 0;
  return SUCCESS;
}

int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* degrees) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  if (sensor != 0) return INVALID_ARGUMENT;
  *degrees = 41 + index_of(device);
  return SUCCESS;
}

int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* mhz) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *mhz = clock == 1 ? 345 : clock == 2 ? 2619 : 0;
  return SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void* device, int clock, unsigned* mhz) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *mhz = clock == 1 ? 1980 : clock == 2 ? 3201 : 0;
  return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* mw) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *mw = 76500;
  return SUCCESS;
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* mw) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *mw = 700000;
  return SUCCESS;
}

int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* errors) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  if (type != 1 || counter != 0) return INVALID_ARGUMENT;
  *errors = index_of(device) == 0 ? (unsigned long long)number("FAKE_NVML_ECC", 0) : 0;
  return SUCCESS;
}

int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  char const* const rows = getenv("FAKE_NVML_ROWS");
  *corrected = *uncorrected = 1;
  *pending = rows != NULL && strcmp(rows, "pending") == 0;
  *failed = rows != NULL && strcmp(rows, "failed") == 0;
  return SUCCESS;
}

int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *current = index_of(device) == 0 && number("FAKE_NVML_MIG", 0) != 0;
  *pending = *current;
  return SUCCESS;
}

int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  *count = 7;
  return SUCCESS;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** part) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  unsigned const number_of_part = index == 0 ? 1 : index; /* 1 is the gap */
  if (index == 1 || (long)number_of_part > number("FAKE_NVML_MIG", 0)) return NOT_FOUND;
  *part = (void*)(uintptr_t)(PARTS + number_of_part);
  return SUCCESS;
}
