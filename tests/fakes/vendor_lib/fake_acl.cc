// libascendcl in front of the scripted device: no graphs, memory set by bytes, an event's state as
// an out-parameter, its own numbers of statuses. FAKE_OLD: events without flags, no capabilities.
#include "fake_base.h"

#define ACL extern "C" int

namespace {

constexpr int kRepeatedInit = 100002, kInvalidParameter = 107000, kInvalidDevice = 107001;
constexpr int kNoContext = 107002;
constexpr unsigned kTimeLine = 8;

bool is_initialised = false;
int context_mark = 0;
thread_local void* current = nullptr;

int translated(int status) {
  switch (status) {
    case 0:
      return 0;
    case 2:
      return 207001;
    case 700:
      return 507015;
    default:
      return kInvalidParameter;
  }
}

zl::backend::DeviceAddress address(void* memory) {
  return reinterpret_cast<zl::backend::DeviceAddress>(memory);
}

}  // namespace

ACL aclInit(char const*) {
  if (is_initialised) return kRepeatedInit;
  is_initialised = true;
  return translated(base_Init(0));
}
ACL aclrtSetDevice(std::int32_t device) {
  if (device != 0) return kInvalidDevice;
  current = &context_mark;
  return 0;
}
ACL aclrtGetDevice(std::int32_t* device) {
  *device = 0;
  return current == nullptr ? kNoContext : 0;
}
ACL aclrtGetCurrentContext(void** context) {
  *context = current;
  return current == nullptr ? kNoContext : 0;
}
ACL aclrtSetCurrentContext(void* context) {
  current = context;
  return 0;
}
ACL aclrtSynchronizeDevice() {
  return translated(base_CtxSynchronize());
}
#ifndef FAKE_OLD
extern "C" char const* aclGetRecentErrMsg() {
  return "EZ9999: Inner Error!\n\tas the script says";
}
ACL aclGetDeviceCapability(std::uint32_t, int kind, std::int64_t* value) {
  *value = kind == 0 ? 24 : kind == 2 ? 60 << 20 : -1;
  return 0;
}
ACL aclrtCreateEventExWithFlag(void** event, std::uint32_t flags) {
  if (flags != kTimeLine) return kInvalidParameter;
  return translated(base_EventCreate(event, 0));
}
ACL aclrtCreateEvent(void**) {
  return 207007;  // of the limited kind there are none left
}
#else
ACL aclrtCreateEvent(void** event) {
  return translated(base_EventCreate(event, 0));
}
#endif
#ifndef FAKE_WITHOUT_ALLOC
ACL aclrtMalloc(void** memory, std::size_t bytes, int policy) {
  if (policy != 0) return kInvalidParameter;
  zl::backend::DeviceAddress found = 0;
  int const status = base_MemAlloc_v2(&found, bytes);
  *memory = reinterpret_cast<void*>(found);
  return translated(status);
}
#endif
ACL aclrtFree(void* memory) {
  return translated(base_MemFree_v2(address(memory)));
}
ACL aclrtMemsetAsync(void* memory, std::size_t most, std::int32_t value, std::size_t bytes,
                     void* stream) {
  if (bytes > most) return kInvalidParameter;
  auto const word = static_cast<unsigned>(value);
  return translated(base_MemsetD32Async(address(memory), word, bytes / 4, stream));
}
ACL aclrtSynchronizeStream(void* stream) {
  return translated(base_StreamSynchronize(stream));
}
ACL aclrtDestroyEvent(void* event) {
  return translated(base_EventDestroy_v2(event));
}
ACL aclrtRecordEvent(void* event, void* stream) {
  return translated(base_EventRecord(event, stream));
}
ACL aclrtQueryEventStatus(void* event, int* is_complete) {
  int const status = base_EventQuery(event);
  *is_complete = status == 0 ? 1 : 0;
  return status == 600 ? 0 : translated(status);
}
ACL aclrtEventElapsedTime(float* ms, void* begin, void* end) {
#ifdef FAKE_OLD
  return translated(base_EventElapsedTime(ms, begin, end));
#else
  return translated(base_EventElapsedTime_v2(ms, begin, end));
#endif
}
