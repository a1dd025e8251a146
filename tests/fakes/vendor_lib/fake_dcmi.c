/* A stand-in for DCMI, scripted by environment variables:
 *   FAKE_DCMI_CARDS=N            how many cards (default 1), each with a processor and a unit that
 *                                manages it; card numbers are 0, 2, 4, ..., the first listed last
 *   FAKE_DCMI_INIT=hang|crash|E  the start hangs, crashes or returns the code E
 *   FAKE_DCMI_CONTAINER=1        as in an ordinary container: what the card is made of is not told
 *   FAKE_DCMI_DDR=1              a part without high-bandwidth memory
 *   FAKE_DCMI_LOST=L             the device with the logical id L has dropped off
 *   FAKE_DCMI_HEALTH=N           of all devices (default 0)
 *   FAKE_DCMI_PROCESSES=N        of the first device (default 0)
 * FAKE_DCMI_OLD: the older names of calls and structures. */
#include "fake_state.h"

enum {
  SUCCESS = 0,
  INVALID_PARAMETER = -8001,
  NOT_READY = -8012,
  NOT_IN_CONTAINER = -8013,
  NOT_SUPPORTED = -8255
};

typedef struct {
  unsigned char type[32], name[32], version[32];
  unsigned core_count;
#ifndef FAKE_DCMI_OLD
  unsigned char npu_name[32];
#endif
} chip_info;

typedef struct {
  unsigned vendor, subvendor, device, subdevice;
  int domain;
  unsigned bus, slot, function;
  unsigned char reserved[32];
} pcie_info;

typedef struct {
  unsigned long long size_mb;
  unsigned mhz;
  unsigned long long used_mb;
  int degrees;
  unsigned bandwidth;
} hbm_info;

typedef struct {
  unsigned long long size_mb, available_mb;
  unsigned mhz;
  unsigned long huge_page, huge_pages, huge_pages_free;
  unsigned percent;
  unsigned char reserved[60];
} memory_info;

typedef struct {
  int pid;
  unsigned long bytes;
} process_memory;

static int logic_id(int card) {
  return card / 2;
}

static int state_of(int card, int unit) {
  if (card % 2 != 0 || unit != 0) return INVALID_PARAMETER;
  return number("FAKE_DCMI_LOST", -1) == logic_id(card) ? NOT_READY : SUCCESS;
}

#define CHECK_DEVICE()                      \
  do {                                      \
    int const state = state_of(card, unit); \
    if (state != SUCCESS) return state;     \
  } while (0)

int dcmi_init(void) {
  return started("FAKE_DCMI_INIT");
}

int dcmi_get_driver_version(char* text, unsigned length) {
  snprintf(text, length, "24.1.fake");
  return SUCCESS;
}

#ifdef FAKE_DCMI_OLD
#define CARDS dcmi_get_card_num_list
#else
#define CARDS dcmi_get_card_list
#endif

int CARDS(int* count, int* list, int room) {
  *count = (int)number("FAKE_DCMI_CARDS", 1);
  if (*count > room) return INVALID_PARAMETER;
  for (int i = 0; i < *count; ++i) list[i] = 2 * (*count - 1 - i);
  return SUCCESS;
}

int dcmi_get_device_num_in_card(int card, int* count) {
  *count = 2;
  return card % 2 == 0 ? SUCCESS : INVALID_PARAMETER;
}

int dcmi_get_device_type(int card, int unit, int* type) {
  *type = unit;
  return card % 2 == 0 && unit < 2 ? SUCCESS : INVALID_PARAMETER;
}

/* The result comes first. */
int dcmi_get_device_logic_id(int* id, int card, int unit) {
  CHECK_DEVICE();
  *id = logic_id(card);
  return SUCCESS;
}

#ifdef FAKE_DCMI_OLD
#define CHIP dcmi_get_device_chip_info
#else
#define CHIP dcmi_get_device_chip_info_v2
#endif

int CHIP(int card, int unit, chip_info* chip) {
  CHECK_DEVICE();
  memset(chip, 0, sizeof(*chip));
  strcpy((char*)chip->type, "Ascend");
  strcpy((char*)chip->name, "910B");
#ifndef FAKE_DCMI_OLD
  strcpy((char*)chip->npu_name, "Fake 910B3");
#endif
  return SUCCESS;
}

#ifdef FAKE_DCMI_OLD
int dcmi_get_device_die(int card, int unit, unsigned* words) {
#else
int dcmi_get_device_die_v2(int card, int unit, int type, unsigned* words) {
  if (type != 1) return INVALID_PARAMETER;
#endif
  CHECK_DEVICE();
  for (unsigned i = 0; i < 5; ++i) words[i] = 0xA0000000u + 16 * i + (unsigned)logic_id(card);
  return SUCCESS;
}

int dcmi_get_device_pcie_info_v2(int card, int unit, pcie_info* info) {
  CHECK_DEVICE();
  if (number("FAKE_DCMI_CONTAINER", 0) != 0) return NOT_IN_CONTAINER;
  memset(info, 0, sizeof(*info));
  info->bus = 0xc1 + (unsigned)logic_id(card);
  return SUCCESS;
}

int dcmi_get_device_hbm_info(int card, int unit, hbm_info* info) {
  CHECK_DEVICE();
  if (number("FAKE_DCMI_DDR", 0) != 0) return NOT_SUPPORTED;
  memset(info, 0, sizeof(*info));
  info->size_mb = 65536;
  info->used_mb = 4096;
  return SUCCESS;
}

int dcmi_get_device_memory_info_v3(int card, int unit, memory_info* info) {
  CHECK_DEVICE();
  memset(info, 0, sizeof(*info));
  info->size_mb = 24576;
  info->available_mb = 20480;
  return SUCCESS;
}

int dcmi_get_device_frequency(int card, int unit, int type, unsigned* mhz) {
  CHECK_DEVICE();
  *mhz = type == 6 ? 1600 : type == 7 ? 800 : type == 9 ? 1800 : 0;
  return *mhz != 0 ? SUCCESS : NOT_SUPPORTED;
}

int dcmi_get_device_temperature(int card, int unit, int* degrees) {
  CHECK_DEVICE();
  *degrees = 47;
  return SUCCESS;
}

int dcmi_get_device_power_info(int card, int unit, int* tenths_w) {
  CHECK_DEVICE();
  *tenths_w = 931;
  return SUCCESS;
}

int dcmi_get_device_health(int card, int unit, unsigned* health) {
  CHECK_DEVICE();
  *health = (unsigned)number("FAKE_DCMI_HEALTH", 0);
  return SUCCESS;
}

int dcmi_get_device_resource_info(int card, int unit, process_memory* list, int* count) {
  CHECK_DEVICE();
  *count = logic_id(card) == 0 ? (int)number("FAKE_DCMI_PROCESSES", 0) : 0;
  for (int i = 0; i < *count; ++i) list[i] = (process_memory){200 + i, 1000ul * (unsigned)(i + 1)};
  return SUCCESS;
}
