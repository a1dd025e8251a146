/* A stand-in for MTML, scripted by environment variables:
 *   FAKE_MTML_DEVICES=N    how many devices (default 1)
 *   FAKE_MTML_VIRTUAL=1    devices have no PCI address
 *   FAKE_MTML_EMPTY_SBDF=1 the PCI address comes as numbers only
 *   FAKE_MTML_INIT=hang|crash|E  the start hangs, crashes or returns the code E
 *   FAKE_MTML_LONG_NAME=1  names need more room than the header says
 *   FAKE_MTML_LOST=I       device I can no longer be opened
 *   FAKE_MTML_ECC=N        uncorrected errors (default 0)
 * FAKE_MTML_OLD: without the calls about memory errors.
 * Answers INSUFFICIENT_SIZE to buffers smaller than the header says. */
#include "fake_state.h"

enum {
  SUCCESS = 0,
  DRIVER_FAILURE = 2,
  INVALID_ARGUMENT = 3,
  NOT_SUPPORTED = 4,
  INSUFFICIENT_SIZE = 6
};

typedef struct {
  char sbdf[32];
  unsigned segment, bus, device, device_id, subsystem_id, bus_width;
  float max_speed, current_speed;
  unsigned max_width, current_width, max_generation, current_generation;
  int reserved[6];
} pci_info;

static char library_mark;

int mtmlLibraryInit(void** library) {
  *library = &library_mark;
  return started("FAKE_MTML_INIT");
}

int mtmlLibraryShutDown(void* library) {
  return library == &library_mark ? SUCCESS : INVALID_ARGUMENT;
}

char const* mtmlErrorString(int code) {
  return code == SUCCESS ? "Success" : "Failure";
}

int mtmlLibraryCountDevice(void const* library, unsigned* count) {
  if (library != &library_mark) return INVALID_ARGUMENT;
  *count = (unsigned)number("FAKE_MTML_DEVICES", 1);
  return SUCCESS;
}

int mtmlLibraryInitDeviceByIndex(void const* library, unsigned index, void** device) {
  if (library != &library_mark) return INVALID_ARGUMENT;
  if (number("FAKE_MTML_LOST", -1) == (long)index) return DRIVER_FAILURE;
  *device = (void*)(uintptr_t)(index + 1);
  return SUCCESS;
}

int mtmlDeviceGetUUID(void const* device, char* text, unsigned length) {
  if (length < 48) return INSUFFICIENT_SIZE;
  snprintf(text, length, "%08x-aaaa-bbbb-cccc-dddddddddddd", 0x50000000u + index_of(device));
  return SUCCESS;
}

int mtmlDeviceGetName(void const* device, char* text, unsigned length) {
  if (length < (number("FAKE_MTML_LONG_NAME", 0) != 0 ? 64 : 32)) return INSUFFICIENT_SIZE;
  snprintf(text, length, "Fake MTT S5000 %u", index_of(device));
  return SUCCESS;
}

int mtmlDeviceGetPciInfo(void const* device, pci_info* info) {
  if (number("FAKE_MTML_VIRTUAL", 0) != 0) return NOT_SUPPORTED;
  memset(info, 0, sizeof(*info));
  info->bus = 0xc1 + index_of(device);
  if (number("FAKE_MTML_EMPTY_SBDF", 0) == 0) {
    snprintf(info->sbdf, sizeof(info->sbdf), "00000000:%02X:00.0", info->bus);
  }
  return SUCCESS;
}

int mtmlDeviceInitMemory(void const* device, void** memory) {
  *memory = (void*)(uintptr_t)device;
  return SUCCESS;
}

int mtmlMemoryGetTotal(void const* memory, unsigned long long* bytes) {
  *bytes = memory == NULL ? 0 : 80ull << 30;
  return SUCCESS;
}

int mtmlMemoryGetUsed(void const* memory, unsigned long long* bytes) {
  *bytes = memory == NULL ? 0 : 16ull << 30;
  return SUCCESS;
}

int mtmlLibraryInitSystem(void const* library, void** system) {
  *system = &library_mark;
  return library == &library_mark ? SUCCESS : INVALID_ARGUMENT;
}

int mtmlSystemGetDriverVersion(void const* system, char* text, unsigned length) {
  if (system != &library_mark || length < 80) return INSUFFICIENT_SIZE;
  snprintf(text, length, "3.1.0-fake");
  return SUCCESS;
}

int mtmlDeviceGetPowerUsage(void const* device, unsigned* mw) {
  *mw = 90000 + index_of(device);
  return SUCCESS;
}

int mtmlDeviceInitGpu(void const* device, void** gpu) {
  *gpu = (void*)(uintptr_t)device;
  return SUCCESS;
}

int mtmlGpuGetClock(void const* gpu, unsigned* mhz) {
  *mhz = 800 + index_of(gpu);
  return SUCCESS;
}

int mtmlGpuGetMaxClock(void const* gpu, unsigned* mhz) {
  *mhz = 1750 + index_of(gpu);
  return SUCCESS;
}

int mtmlGpuGetTemperature(void const* gpu, int* degrees) {
  *degrees = 45 + (int)index_of(gpu);
  return SUCCESS;
}

int mtmlMemoryGetClock(void const* memory, unsigned* mhz) {
  *mhz = 1600 + index_of(memory);
  return SUCCESS;
}

int mtmlMemoryGetMaxClock(void const* memory, unsigned* mhz) {
  *mhz = 1800 + index_of(memory);
  return SUCCESS;
}

#ifndef FAKE_MTML_OLD
int mtmlMemoryGetEccErrorCounter(void const* memory, int type, int counter, int place,
                                 unsigned long long* errors) {
  if (memory == NULL || type != 1 || counter != 0 || place != 1) return INVALID_ARGUMENT;
  *errors = (unsigned long long)number("FAKE_MTML_ECC", 0);
  return SUCCESS;
}

int mtmlMemoryGetRetiredPagesPendingStatus(void const* memory, int* is_pending) {
  *is_pending = memory == NULL;
  return SUCCESS;
}
#endif
