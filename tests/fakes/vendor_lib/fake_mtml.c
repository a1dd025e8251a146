/* A stand-in for MTML, scripted by environment variables:
 *   FAKE_MTML_DEVICES=N    how many devices (default 1)
 *   FAKE_MTML_VIRTUAL=1    devices have no PCI address
 *   FAKE_MTML_EMPTY_SBDF=1 the PCI address comes as numbers only
 * Answers INSUFFICIENT_SIZE to buffers smaller than the header says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 3, NOT_SUPPORTED = 4, INSUFFICIENT_SIZE = 6 };

typedef struct {
  char sbdf[32];
  unsigned segment, bus, device, device_id, subsystem_id, bus_width;
  float max_speed, current_speed;
  unsigned max_width, current_width, max_generation, current_generation;
  int reserved[6];
} pci_info;

static char library_mark;

static long number(char const* name, long fallback) {
  char const* text = getenv(name);
  return text == NULL ? fallback : strtol(text, NULL, 10);
}

static unsigned index_of(void const* device) {
  return (unsigned)(uintptr_t)device - 1;
}

int mtmlLibraryInit(void** library) {
  *library = &library_mark;
  return SUCCESS;
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
  *device = (void*)(uintptr_t)(index + 1);
  return SUCCESS;
}

int mtmlDeviceGetUUID(void const* device, char* text, unsigned length) {
  if (length < 48) return INSUFFICIENT_SIZE;
  snprintf(text, length, "%08x-aaaa-bbbb-cccc-dddddddddddd", 0x50000000u + index_of(device));
  return SUCCESS;
}

int mtmlDeviceGetName(void const* device, char* text, unsigned length) {
  if (length < 32) return INSUFFICIENT_SIZE;
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
