/* A stand-in for NVML, scripted by environment variables:
 *   FAKE_NVML_DEVICES=N          how many devices (default 1)
 *   FAKE_NVML_INIT=hang|crash|E  nvmlInit hangs, crashes or returns the code E
 *   FAKE_NVML_NO_PERMISSION=I    device I may not be opened
 *   FAKE_NVML_LOST=I             device I is lost: its handle is given, every query of it fails
 *   FAKE_NVML_PROCESSES=N        processes on device 0 (default 0)
 *   FAKE_NVML_MIG=1              device 0 is in MIG mode
 *   FAKE_NVML_REASONS=BITS       why the clock of device 0 is what it is (default 0)
 * FAKE_NVML_OLD: only the process list and the clock's reasons of older drivers.
 * FAKE_NVML_WITHOUT_COUNT: a required symbol is missing. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SUCCESS = 0,
  INVALID_ARGUMENT = 2,
  NO_PERMISSION = 4,
  NOT_FOUND = 6,
  INSUFFICIENT_SIZE = 7,
  GPU_IS_LOST = 15
};

typedef struct {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
} pci_info;

typedef struct {
  unsigned long long total, free, used;
} memory_info;

static long number(char const* name, long fallback) {
  char const* text = getenv(name);
  return text == NULL ? fallback : strtol(text, NULL, 10);
}

static unsigned index_of(void* device) {
  return (unsigned)(uintptr_t)device - 1;
}

static int state_of(void* device) {
  return number("FAKE_NVML_LOST", -1) == (long)index_of(device) ? GPU_IS_LOST : SUCCESS;
}

/* Who has started the library and not shut it down. */
int fake_nvml_users;

int nvmlInit_v2(void) {
  char const* init = getenv("FAKE_NVML_INIT");
  if (init == NULL) {
    ++fake_nvml_users;
    return SUCCESS;
  }
  if (strcmp(init, "hang") == 0) {
    for (;;) pause();
  }
  if (strcmp(init, "crash") == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  return (int)strtol(init, NULL, 10);
}

int nvmlShutdown(void) {
  --fake_nvml_users;
  return SUCCESS;
}

char const* nvmlErrorString(int code) {
  if (code == 9) return "Driver Not Loaded";
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

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  snprintf(text, length, "GPU-%08x-1111-2222-3333-444444444444", 0xa0000000u + index_of(device));
  return SUCCESS;
}

int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  puts("a library that prints");
  snprintf(text, length, "Fake H200");
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
  info->total = 150000000000ull;
  info->used = 50000000000ull;
  info->free = info->total - info->used;
  return SUCCESS;
}

#ifdef FAKE_NVML_OLD
#define PROCESSES nvmlDeviceGetComputeRunningProcesses_v2
#else
#define PROCESSES nvmlDeviceGetComputeRunningProcesses_v3
#endif

int PROCESSES(void* device, unsigned* count, void* list) {
  if (state_of(device) != SUCCESS) return GPU_IS_LOST;
  unsigned const running = index_of(device) == 0 ? (unsigned)number("FAKE_NVML_PROCESSES", 0) : 0;
  unsigned const room = *count;
  if (list == NULL && room != 0) return INVALID_ARGUMENT;
  *count = running;
  return running > room ? INSUFFICIENT_SIZE : SUCCESS;
}

#ifdef FAKE_NVML_OLD
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

int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *current = index_of(device) == 0 ? (unsigned)number("FAKE_NVML_MIG", 0) : 0;
  *pending = *current;
  return SUCCESS;
}
