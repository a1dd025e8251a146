#include <cstring>

#include "backend/vendors/vendor_runtimes.h"

namespace zl::backend {

namespace {

// acl/acl_rt.h, acl/acl_base.h and acl/error_codes/rt_error_codes.h.
constexpr int kRepeatedInit = 100002;
constexpr int kInvalidParameter = 107000;
constexpr int kNoContext = 107002;
constexpr int kEventNotComplete = 507006;
constexpr int kHugePagesFirst = 0;
constexpr int kCopyToHost = 2;
constexpr unsigned kTimeLine = 8;  // an event that keeps its time
// Kinds of device capabilities, and the newer call's numbers of the same.
constexpr int kCores = 0;
constexpr int kCacheBytes = 2;
constexpr int kNewerCores = 101;
constexpr int kNewerCacheBytes = 302;
// The largest of the family known; a device that tells nothing has no more.
constexpr std::size_t kLargestCacheBytes = std::size_t{192} << 20;

struct AclApi {
  int (*init)(char const* configuration);
  char const* (*recent_error)();
  int (*device_capability)(std::uint32_t device, int kind, std::int64_t*);
  int (*version)(std::int32_t*, std::int32_t*, std::int32_t*);
  int (*device_set)(std::int32_t);
  int (*device_current)(std::int32_t*);
  int (*device_info)(std::uint32_t device, int attribute, std::int64_t*);
  int (*device_synchronize)();
  int (*context_current)(Handle*);
  int (*context_set)(Handle);
  int (*memory_alloc)(void**, std::size_t, int policy);
  int (*memory_free)(void*);
  int (*memset_async)(void*, std::size_t most, std::int32_t value, std::size_t bytes, Handle);
  int (*copy_async)(void* to, std::size_t most, void const* from, std::size_t, int kind, Handle);
  int (*stream_create)(Handle*);
  int (*stream_destroy)(Handle);
  int (*stream_synchronize)(Handle);
  int (*event_create_unlimited)(Handle*, std::uint32_t flags);
  int (*event_create_flagged)(Handle*, std::uint32_t flags);
  int (*event_create)(Handle*);
  int (*event_destroy)(Handle);
  int (*event_record)(Handle event, Handle stream);
  int (*event_status)(Handle, int* is_complete);
  int (*event_elapsed)(float* ms, Handle begin, Handle end);
};

// "rt" is no part of the prefix: some symbols lack it.
#define ZL_ROW(name, member, required) \
  { name, nullptr, offsetof(AclApi, member), required }
constexpr Symbol kRows[] = {
    ZL_ROW("Init", init, true),
    ZL_ROW("GetRecentErrMsg", recent_error, false),
    ZL_ROW("GetDeviceCapability", device_capability, false),
    ZL_ROW("rtGetVersion", version, false),
    ZL_ROW("rtSetDevice", device_set, true),
    ZL_ROW("rtGetDevice", device_current, true),
    ZL_ROW("rtGetDeviceInfo", device_info, false),
    ZL_ROW("rtSynchronizeDevice", device_synchronize, true),
    ZL_ROW("rtGetCurrentContext", context_current, true),
    ZL_ROW("rtSetCurrentContext", context_set, true),
    ZL_ROW("rtMalloc", memory_alloc, true),
    ZL_ROW("rtFree", memory_free, true),
    ZL_ROW("rtMemsetAsync", memset_async, true),
    ZL_ROW("rtMemcpyAsync", copy_async, false),
    ZL_ROW("rtCreateStream", stream_create, false),
    ZL_ROW("rtDestroyStream", stream_destroy, false),
    ZL_ROW("rtSynchronizeStream", stream_synchronize, true),
    ZL_ROW("rtCreateEventExWithFlag", event_create_unlimited, false),
    ZL_ROW("rtCreateEventWithFlag", event_create_flagged, false),
    ZL_ROW("rtCreateEvent", event_create, true),
    ZL_ROW("rtDestroyEvent", event_destroy, true),
    ZL_ROW("rtRecordEvent", event_record, true),
    ZL_ROW("rtQueryEventStatus", event_status, true),
    ZL_ROW("rtEventElapsedTime", event_elapsed, true),
};
#undef ZL_ROW

AclApi acl;  // one library of this family a process

void* pointer(DeviceAddress address) {
  return reinterpret_cast<void*>(address);
}

// The framework may have done it before us.
int init(unsigned) {
  int const status = acl.init(nullptr);
  return status == kRepeatedInit ? 0 : status;
}

int driver_version(int* version) {
  std::int32_t major = 0, minor = 0, patch = 0;
  int const status = acl.version(&major, &minor, &patch);
  *version = 10'000 * major + 100 * minor + patch;
  return status;
}

// The library keeps the text of the thread's last failure, not one for each status.
int error_text(int, char const** text) {
  *text = acl.recent_error();
  return 0;
}

int device_get(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}

int device_attribute(int* value, int attribute, int device) {
  auto const which = static_cast<std::uint32_t>(device);
  std::int64_t found = 0;
  int const newer = attribute == kCores ? kNewerCores : kNewerCacheBytes;
  int const status = acl.device_capability != nullptr
                         ? acl.device_capability(which, attribute, &found)
                         : acl.device_info(which, newer, &found);
  *value = static_cast<int>(found);
  return status;
}

int context_current(Handle* context) {
  int const status = acl.context_current(context);
  if (status == 0) return 0;
  *context = nullptr;
  return status == kNoContext ? 0 : status;
}

// The framework's context where it has one on this device; taking a device makes a default one.
int primary_retain(Handle* context, int device) {
  std::int32_t current = -1;
  bool const is_taken = acl.device_current(&current) == 0 && current == device;
  if (is_taken && acl.context_current(context) == 0) return 0;
  int const status = acl.device_set(device);
  return status != 0 ? status : acl.context_current(context);
}

int memory_alloc(DeviceAddress* address, std::size_t bytes) {
  void* memory = nullptr;
  int const status = acl.memory_alloc(&memory, bytes, kHugePagesFirst);
  *address = reinterpret_cast<DeviceAddress>(memory);
  return status;
}

int memory_free(DeviceAddress address) {
  return acl.memory_free(pointer(address));
}

int memset_async(DeviceAddress address, unsigned value, std::size_t words, Handle stream) {
  if (!repeats_one_byte(value)) return kInvalidParameter;
  auto const byte = static_cast<std::int32_t>(value & 0xff);
  return acl.memset_async(pointer(address), 4 * words, byte, 4 * words, stream);
}

int copy_to_host(void* to, DeviceAddress from, std::size_t bytes, Handle stream) {
  return acl.copy_async(to, bytes, pointer(from), bytes, kCopyToHost, stream);
}

// There are no flags here.
int stream_create(Handle* stream, unsigned) {
  return acl.stream_create(stream);
}

// The first kind is taken from no limited pool of the hardware's and may be recorded again and
// again; the last one has its time as well, and may wait when it is recorded.
int event_create(Handle* event, unsigned) {
  if (acl.event_create_unlimited != nullptr) return acl.event_create_unlimited(event, kTimeLine);
  if (acl.event_create_flagged != nullptr) return acl.event_create_flagged(event, kTimeLine);
  return acl.event_create(event);
}

int event_query(Handle event) {
  int is_complete = 0;
  int const status = acl.event_status(event, &is_complete);
  if (status != 0) return status;
  return is_complete != 0 ? 0 : kEventNotComplete;
}

void adopt(void const* table, RuntimeApi* api) {
  std::memcpy(&acl, table, sizeof(acl));
  api->init = init;
  if (acl.version != nullptr) api->driver_version = driver_version;
  if (acl.recent_error != nullptr) api->error_text = error_text;
  api->device_get = device_get;
  if (acl.device_capability != nullptr || acl.device_info != nullptr) {
    api->device_attribute = device_attribute;
  }
  api->primary_retain = primary_retain;
  api->context_current = context_current;
  api->context_set = acl.context_set;
  api->context_synchronize = acl.device_synchronize;
  api->memory_alloc = memory_alloc;
  api->memory_free = memory_free;
  api->memset_async = memset_async;
  if (acl.copy_async != nullptr) api->copy_to_host = copy_to_host;
  if (acl.stream_create != nullptr) api->stream_create = stream_create;
  api->stream_destroy = acl.stream_destroy;
  api->stream_synchronize = acl.stream_synchronize;
  api->event_create = event_create;
  api->event_destroy = acl.event_destroy;
  api->event_record = acl.event_record;
  api->event_query = event_query;
  api->event_elapsed = acl.event_elapsed;
}

constexpr OwnTable kTable{kRows, sizeof(AclApi), adopt};

// What the device itself reports (5xxxxx), and what the runtime says of tasks it took back because
// of that, stays: all of it is in no range here.
constexpr StatusRange kStatuses[] = {
    {0, 0, StatusClass::success},
    {507004, 507004, StatusClass::not_ready},     // stream not complete
    {507006, 507006, StatusClass::not_ready},     // event not complete
    {107024, 107032, StatusClass::capture_only},  // 107033 and later: groups of tasks
    {107036, 107036, StatusClass::capture_only},  // of another stream
    {507903, 507903, StatusClass::capture_only},  // invalidated
    {100000, 100999, StatusClass::recoverable},   // parameters, initialisation
    {107000, 107018, StatusClass::recoverable},   // parameters of the runtime; then timeouts
    {107021, 107021, StatusClass::recoverable},   // option not set
    {200000, 200001, StatusClass::recoverable},   // host memory, not supported
    {207000, 207019, StatusClass::recoverable},   // not supported, memory, resources, limits
};

}  // namespace

RuntimeFamily const& acl_family() {
  static RuntimeFamily const family{.name = "acl",
                                    .prefix = "acl",
                                    .statuses = kStatuses,
                                    .own = &kTable,
                                    .multiprocessors_attribute = kCores,
                                    .cache_attribute = kCacheBytes,
                                    .assumed_cache_bytes = kLargestCacheBytes};
  return family;
}

}  // namespace zl::backend
