/* A stand-in for rocm_smi, scripted by environment variables:
 *   FAKE_RSMI_DEVICES=N          how many devices (default 1)
 *   FAKE_RSMI_INIT=hang|crash|E  the start hangs, crashes or returns the code E
 *   FAKE_RSMI_LOST=I             device I answers nothing but where it is
 *   FAKE_RSMI_NO_UNIQUE_ID=1     as consumer cards
 *   FAKE_RSMI_PROCESSES=N        processes (default 0), all on device 0
 *   FAKE_RSMI_ECC=N              uncorrected errors (default 0)
 * The last device of the list is the first of the topology. FAKE_RSMI_OLD: without the calls that
 * came with release 6. */
#include "fake_state.h"

enum { SUCCESS = 0, INVALID = 1, NO_DATA = 14 };

typedef struct {
  uint32_t pid, address_space;
  uint64_t memory_bytes, copied_bytes;
  uint32_t occupancy;
} process_info;

static uint32_t devices(void) {
  return (uint32_t)number("FAKE_RSMI_DEVICES", 1);
}

static int state_of(uint32_t device) {
  if (device >= devices()) return INVALID;
  return number("FAKE_RSMI_LOST", -1) == (long)device ? NO_DATA : SUCCESS;
}

int rsmi_init(uint64_t flags) {
  return flags == 0 ? started("FAKE_RSMI_INIT") : INVALID;
}

int rsmi_shut_down(void) {
  return SUCCESS;
}

int rsmi_status_string(int code, char const** text) {
  *text = code == 8 ? "RSMI_STATUS_INIT_ERROR" : "RSMI_STATUS";
  return SUCCESS;
}

int rsmi_version_str_get(int component, char* text, uint32_t length) {
  snprintf(text, length, "6.8.fake");
  return component == 0 ? SUCCESS : INVALID;
}

int rsmi_num_monitor_devices(uint32_t* count) {
  *count = devices();
  return SUCCESS;
}

int rsmi_dev_name_get(uint32_t device, char* text, size_t length) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  snprintf(text, length, "Fake MI250 %u", device);
  return SUCCESS;
}

/* With a partition id in bits 28 to 31. */
int rsmi_dev_pci_id_get(uint32_t device, uint64_t* address) {
  *address = 2ull << 32 | 5ull << 28 | (uint64_t)(0x41 + device) << 8 | 3 << 3 | 1;
  return SUCCESS;
}

int rsmi_dev_unique_id_get(uint32_t device, uint64_t* id) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *id = number("FAKE_RSMI_NO_UNIQUE_ID", 0) != 0 ? 0 : 0x0123456789abcde0ull + device;
  return SUCCESS;
}

int rsmi_dev_memory_total_get(uint32_t device, int type, uint64_t* bytes) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *bytes = 64ull << 30;
  return type == 0 ? SUCCESS : INVALID;
}

int rsmi_dev_memory_usage_get(uint32_t device, int type, uint64_t* bytes) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *bytes = 1ull << 30;
  return type == 0 ? SUCCESS : INVALID;
}

int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, int metric, int64_t* millidegrees) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *millidegrees = 38500;
  return sensor == 0 && metric == 0 ? SUCCESS : INVALID;
}

int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t* uw) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *uw = 88000000;
  return sensor == 0 ? SUCCESS : INVALID;
}

int rsmi_dev_power_cap_get(uint32_t device, uint32_t sensor, uint64_t* uw) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *uw = 560000000;
  return sensor == 0 ? SUCCESS : INVALID;
}

int rsmi_dev_ecc_count_get(uint32_t device, uint64_t block, uint64_t* counts) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  counts[0] = 9;
  counts[1] = (uint64_t)number("FAKE_RSMI_ECC", 0);
  return block == 1 ? SUCCESS : INVALID;
}

int rsmi_compute_process_info_get(process_info* list, uint32_t* count) {
  uint32_t const room = *count;
  *count = (uint32_t)number("FAKE_RSMI_PROCESSES", 0);
  for (uint32_t i = 0; list != NULL && i < *count && i < room; ++i) {
    list[i] = (process_info){300 + i, 0, 5, 0, 0};
  }
  return SUCCESS;
}

int rsmi_compute_process_gpus_get(uint32_t pid, uint32_t* list, uint32_t* count) {
  if (pid < 300 || *count == 0) return INVALID;
  list[0] = 0;
  *count = 1;
  return SUCCESS;
}

#ifndef FAKE_RSMI_OLD
int rsmi_dev_node_id_get(uint32_t device, uint32_t* node) {
  *node = devices() - device;
  return SUCCESS;
}

int rsmi_dev_power_get(uint32_t device, uint64_t* uw, int* type) {
  if (state_of(device) != SUCCESS) return NO_DATA;
  *uw = 92000000;
  *type = 1;
  return SUCCESS;
}
#endif
