/* A stand-in for amdsmi, scripted by environment variables:
 *   FAKE_AMDSMI_DEVICES=N          how many devices (default 1), each in a socket of its own with a
 *                                  processor of another kind beside it
 *   FAKE_AMDSMI_INIT=hang|crash|E  the start hangs, crashes or returns the code E
 *   FAKE_AMDSMI_LOST=I             device I answers nothing but where it is
 *   FAKE_AMDSMI_MILLIDEGREES=1     temperatures as the header says, not as the library does
 *   FAKE_AMDSMI_NO_MAXIMUM=1       of the cores' clock: all ones
 *   FAKE_AMDSMI_ECC=N              uncorrected errors (default 0)
 * The last device of the list is the first of the topology. FAKE_AMDSMI_WITHOUT_NODES: without the
 * call that tells so. */
#include "fake_state.h"

enum { SUCCESS = 0, INVALID = 1, NOT_INIT = 32, NO_DATA = 40, OTHER_KIND = 0x100 };

static int is_started;

static unsigned devices(void) {
  return (unsigned)number("FAKE_AMDSMI_DEVICES", 1);
}

static int state_of(void* processor) {
  if (is_started == 0) return NOT_INIT;
  return number("FAKE_AMDSMI_LOST", -1) == (long)index_of(processor) ? NO_DATA : SUCCESS;
}

int amdsmi_init(uint64_t kinds) {
  int const code = started("FAKE_AMDSMI_INIT");
  is_started = code == SUCCESS && kinds == 2;
  return kinds == 2 ? code : INVALID;
}

int amdsmi_shut_down(void) {
  is_started = 0;
  return SUCCESS;
}

int amdsmi_status_code_to_string(int code, char const** text) {
  *text = code == 34 ? "AMDSMI_STATUS_DRIVER_NOT_LOADED" : "AMDSMI_STATUS";
  return SUCCESS;
}

int amdsmi_get_socket_handles(uint32_t* count, void** sockets) {
  if (is_started == 0) return NOT_INIT;
  uint32_t const room = *count;
  *count = devices();
  for (uint32_t i = 0; sockets != NULL && i < *count && i < room; ++i) {
    sockets[i] = (void*)(uintptr_t)(i + 1);
  }
  return SUCCESS;
}

int amdsmi_get_processor_handles(void* socket, uint32_t* count, void** list) {
  uint32_t const room = *count;
  *count = 2;
  if (list == NULL) return SUCCESS;
  if (room < 2) return INVALID;
  list[0] = (void*)((uintptr_t)socket + OTHER_KIND);
  list[1] = socket;
  return SUCCESS;
}

int amdsmi_get_processor_type(void* processor, int* type) {
  *type = (uintptr_t)processor > OTHER_KIND ? 2 : 1;
  return SUCCESS;
}

int amdsmi_get_gpu_device_bdf(void* processor, uint64_t* address) {
  *address = 2ull << 16 | (uint64_t)(0xc1 + index_of(processor)) << 8 | 3 << 3 | 1;
  return SUCCESS;
}

/* A release's structure is longer than the next one's; both begin with the name. */
int amdsmi_get_gpu_asic_info(void* processor, void* info) {
  if (state_of(processor) != SUCCESS) return NO_DATA;
  memset(info, 0x55, 1000);
  snprintf(info, 256, "Fake MI300X %u", index_of(processor));
  return SUCCESS;
}

#ifndef FAKE_AMDSMI_WITHOUT_NODES
int amdsmi_get_gpu_kfd_info(void* processor, void* info) {
  uint32_t const node = 1 + devices() - index_of(processor);
  memset(info, 0x55, 64);
  memcpy((char*)info + 8, &node, sizeof(node));
  return SUCCESS;
}
#endif

int amdsmi_get_gpu_memory_total(void* processor, int type, uint64_t* bytes) {
  if (state_of(processor) != SUCCESS) return NO_DATA;
  *bytes = 192ull << 30;
  return type == 0 ? SUCCESS : INVALID;
}

int amdsmi_get_gpu_memory_usage(void* processor, int type, uint64_t* bytes) {
  if (state_of(processor) != SUCCESS) return NO_DATA;
  *bytes = 1ull << 30;
  return type == 0 ? SUCCESS : INVALID;
}

int amdsmi_get_clock_info(void* processor, int clock, void* info) {
  if (state_of(processor) != SUCCESS) return NO_DATA;
  uint32_t const core[] = {132, 100, number("FAKE_AMDSMI_NO_MAXIMUM", 0) != 0 ? 0xffffffff : 2100};
  uint32_t const memory[] = {900, 900, 1300};
  memset(info, 0x55, 32);
  memcpy(info, clock == 0 ? core : memory, sizeof(core));
  return clock == 0 || clock == 4 ? SUCCESS : INVALID;
}

int amdsmi_get_temp_metric(void* processor, int sensor, int metric, int64_t* degrees) {
  if (state_of(processor) != SUCCESS) return NO_DATA;
  *degrees = number("FAKE_AMDSMI_MILLIDEGREES", 0) != 0 ? 43500 : 43;
  return sensor == 0 && metric == 0 ? SUCCESS : INVALID;
}

int amdsmi_get_gpu_total_ecc_count(void* processor, uint64_t* counts) {
  if (state_of(processor) != SUCCESS) return NO_DATA;
  counts[0] = 9;
  counts[1] = (uint64_t)number("FAKE_AMDSMI_ECC", 0);
  return SUCCESS;
}
