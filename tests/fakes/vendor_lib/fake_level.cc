// The scripted device one level up, as HIP has it: a current device in place of contexts, a last
// error that a failure leaves behind, its own numbers of attributes and structure of kernel nodes.
// FAKE_LEVEL: the prefix. FAKE_OLD: node types count from 1, no waiting for values, the older way
// to instantiate only.
#include "fake_base.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define ENTRY(name) extern "C" int JOIN(FAKE_LEVEL, name)
#define TEXT_ENTRY(name) extern "C" char const* JOIN(FAKE_LEVEL, name)

namespace {

constexpr int kInvalidValue = 1, kInvalidDevice = 101;
constexpr unsigned kCoherent = 0x40000000;

thread_local int current_device = 0;
thread_local int last_error = 0;

int told(int status) {
  if (status != 0) last_error = status;
  return status;
}

struct KernelNode {
  unsigned block[3];
  void** extra;
  void* function;
  unsigned grid[3];
  void** arguments;
  unsigned shared_bytes;
};

struct MemsetNode {
  void* memory;
  unsigned element_bytes;
  std::size_t height;
  std::size_t pitch;
  unsigned value;
  std::size_t width;
};

zl::backend::DeviceAddress address(void* memory) {
  return reinterpret_cast<zl::backend::DeviceAddress>(memory);
}

}  // namespace

ENTRY(GetLastError)() {
  int const status = last_error;
  last_error = 0;
  return status;
}
ENTRY(PeekAtLastError)() {
  return last_error;
}
TEXT_ENTRY(GetErrorName)(int status) {
  return status == 700 ? "hipErrorIllegalAddress" : "hipErrorOther";
}
TEXT_ENTRY(GetErrorString)(int) {
  return "as the script says";
}
ENTRY(Init)(unsigned flags) {
  return told(base_Init(flags));
}
ENTRY(DriverGetVersion)(int* version) {
  return told(base_DriverGetVersion(version));
}
ENTRY(GetDevice)(int* device) {
  *device = current_device;
  return 0;
}
ENTRY(SetDevice)(int device) {
  if (device < 0 || device > 1) return told(kInvalidDevice);
  current_device = device;
  return 0;
}
ENTRY(DeviceSynchronize)() {
  return told(base_CtxSynchronize());
}
ENTRY(DeviceGetAttribute)(int* value, int attribute, int) {
  *value = attribute == 63 ? 4 : attribute == 19 ? 60 << 20 : attribute == 10013 ? 1 : 0;
  return 0;
}
#ifndef FAKE_WITHOUT_ALLOC
ENTRY(Malloc)(void** memory, std::size_t bytes) {
  zl::backend::DeviceAddress found = 0;
  int const status = base_MemAlloc_v2(&found, bytes);
  *memory = reinterpret_cast<void*>(found);
  return told(status);
}
#endif
ENTRY(Free)(void* memory) {
  return told(base_MemFree_v2(address(memory)));
}
ENTRY(MemsetAsync)(void* memory, int value, std::size_t bytes, void* stream) {
  return told(
      base_MemsetD32Async(address(memory), static_cast<unsigned>(value), bytes / 4, stream));
}
ENTRY(HostMalloc)(void** memory, std::size_t bytes, unsigned flags) {
  if ((flags & kCoherent) == 0) return told(kInvalidValue);  // waiting would never end
  return told(base_MemHostAlloc(memory, bytes, flags));
}
ENTRY(HostFree)(void* memory) {
  return told(base_MemFreeHost(memory));
}
ENTRY(HostGetDevicePointer)(void** seen, void* memory, unsigned) {
  *seen = memory;
  return 0;
}
ENTRY(StreamSynchronize)(void* stream) {
  return told(base_StreamSynchronize(stream));
}
ENTRY(StreamIsCapturing)(void* stream, int* status) {
  return told(base_StreamIsCapturing(stream, status));
}
ENTRY(StreamEndCapture)(void* stream, void** graph) {
  return told(base_StreamEndCapture(stream, graph));
}
ENTRY(EventCreateWithFlags)(void** event, unsigned flags) {
  return told(base_EventCreate(event, flags));
}
ENTRY(EventDestroy)(void* event) {
  return told(base_EventDestroy_v2(event));
}
ENTRY(EventRecord)(void* event, void* stream) {
  return told(base_EventRecord(event, stream));
}
ENTRY(EventQuery)(void* event) {
  return told(base_EventQuery(event));
}
ENTRY(EventElapsedTime)(float* ms, void* begin, void* end) {
#ifdef FAKE_OLD
  return told(base_EventElapsedTime(ms, begin, end));
#else
  return told(base_EventElapsedTime_v2(ms, begin, end));
#endif
}
ENTRY(GraphCreate)(void** graph, unsigned flags) {
  return told(base_GraphCreate(graph, flags));
}
ENTRY(GraphDestroy)(void* graph) {
  return told(base_GraphDestroy(graph));
}
ENTRY(GraphGetNodes)(void* graph, void** nodes, std::size_t* count) {
  return told(base_GraphGetNodes(graph, nodes, count));
}
ENTRY(GraphNodeGetType)(void* node, int* type) {
  int const status = base_GraphNodeGetType(node, type);
#ifdef FAKE_OLD
  ++*type;
#endif
  return told(status);
}
ENTRY(GraphKernelNodeGetParams)(void* node, KernelNode* kernel) {
  zl::backend::KernelNode base{};
  int const status = base_GraphKernelNodeGetParams_v2(node, &base);
  *kernel = {{64, 1, 1}, base.extra, base.function, {7, 1, 1}, base.arguments, base.shared_bytes};
  return told(status);
}
ENTRY(GraphAddEmptyNode)(void** added, void* graph, void* const* after, std::size_t count) {
  return told(base_GraphAddEmptyNode(added, graph, after, count));
}
ENTRY(GraphInstantiate)(void** exec, void* graph, void** node, char* log, std::size_t bytes) {
  return told(base_GraphInstantiate_v2(exec, graph, node, log, bytes));
}
#ifndef FAKE_OLD
ENTRY(StreamWaitValue32)
(void* stream, void* memory, std::uint32_t value, unsigned flags, std::uint32_t mask) {
  if (mask != 0xffffffff) return told(kInvalidValue);
  return told(base_StreamWaitValue32_v2(stream, address(memory), value, flags));
}
ENTRY(GraphInstantiateWithFlags)(void** exec, void* graph, unsigned long long flags) {
  return told(base_GraphInstantiateWithFlags(exec, graph, flags));
}
// There, but they would give no times.
ENTRY(GraphAddEventRecordNode)(void**, void*, void* const*, std::size_t, void*) {
  return told(kInvalidValue);
}
ENTRY(GraphAddChildGraphNode)
(void** added, void* graph, void* const* after, std::size_t count, void* child) {
  return told(base_GraphAddChildGraphNode(added, graph, after, count, child));
}
ENTRY(GraphAddMemsetNode)
(void** added, void* graph, void* const* after, std::size_t count, MemsetNode const* node) {
  if (node->element_bytes != 4 || node->height != 1 || node->value != 0) return told(kInvalidValue);
  zl::backend::MemsetNode const base{address(node->memory), node->pitch, node->value,
                                     node->element_bytes,   node->width, node->height};
  return told(base_GraphAddMemsetNode(added, graph, after, count, &base, nullptr));
}
#endif
ENTRY(GraphLaunch)(void* exec, void* stream) {
  return told(base_GraphLaunch(exec, stream));
}
ENTRY(GraphExecDestroy)(void* exec) {
  return told(base_GraphExecDestroy(exec));
}
