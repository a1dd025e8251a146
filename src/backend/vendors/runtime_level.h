// The level above the driver's, as CUDA's runtime library has it and most vendors' own do: contexts
// are not seen, a thread has a current device, memory is a pointer. In a header so that the tests
// hold each row against a vendor's header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/runtime.h"

namespace zl::backend {

// HIP's hipKernelNodeParams.
struct HipKernelNode {
  unsigned block[3];
  void** extra;
  void* function;
  unsigned grid[3];
  void** arguments;
  unsigned shared_bytes;
};
static_assert(offsetof(HipKernelNode, function) == 24 && sizeof(HipKernelNode) == 64);

// HIP's hipMemsetParams.
struct HipMemsetNode {
  void* memory;
  unsigned element_bytes;
  std::size_t height;
  std::size_t pitch;
  unsigned value;
  std::size_t width;  // in elements
};
static_assert(offsetof(HipMemsetNode, width) == 40 && sizeof(HipMemsetNode) == 48);

struct RuntimeLevelApi {
  int (*last_error)();
  char const* (*error_name)(int);
  char const* (*error_text)(int);
  int (*device_current)(int*);
  int (*device_set)(int);
  int (*device_synchronize)();
  int (*memory_alloc)(void**, std::size_t);
  int (*memory_free)(void*);
  int (*memset_async)(void*, int value, std::size_t bytes, Handle stream);
  int (*copy_async)(void* to, void const* from, std::size_t bytes, int kind, Handle stream);
  int (*stream_create)(Handle*, unsigned flags);
  int (*stream_destroy)(Handle);
  int (*stream_synchronize)(Handle);
  int (*event_create)(Handle*, unsigned flags);
  int (*event_destroy)(Handle);
  int (*event_record)(Handle event, Handle stream);
  int (*event_query)(Handle);
  int (*event_elapsed)(float* ms, Handle begin, Handle end);
  // Only where the numbers of attributes are known.
  int (*device_attribute)(int*, int attribute, int device);
  // HIP's only: elsewhere their signatures are not known, or differ.
  int (*init)(unsigned);
  int (*driver_version)(int*);
  int (*host_alloc)(void**, std::size_t, unsigned flags);
  int (*host_free)(void*);
  int (*host_device_address)(void**, void*, unsigned flags);
  int (*stream_is_capturing)(Handle, int* status);
  int (*stream_end_capture)(Handle, Handle* graph);
  int (*stream_wait_value)(Handle, void*, std::uint32_t value, unsigned flags, std::uint32_t mask);
  int (*graph_create)(Handle*, unsigned flags);
  int (*graph_destroy)(Handle);
  int (*graph_nodes)(Handle graph, Handle* nodes, std::size_t* count);
  int (*graph_node_type)(Handle node, int* type);
  int (*graph_kernel)(Handle node, HipKernelNode*);
  int (*graph_child)(Handle node, Handle* graph);
  int (*graph_add_empty)(Handle*, Handle graph, Handle const* after, std::size_t);
  int (*graph_add_memset)(Handle*, Handle graph, Handle const* after, std::size_t,
                          HipMemsetNode const*);
  int (*graph_add_event)(Handle*, Handle graph, Handle const* after, std::size_t, Handle event);
  int (*graph_add_child)(Handle*, Handle graph, Handle const* after, std::size_t, Handle child);
  int (*graph_instantiate)(Handle*, Handle graph, unsigned long long flags);
  int (*graph_instantiate_logged)(Handle*, Handle graph, Handle* node, char* log, std::size_t);
  int (*graph_launch)(Handle exec, Handle stream);
  int (*graph_exec_destroy)(Handle);
};

// ROW(name, member, required), names without a prefix.
// clang-format off
#define ZL_RUNTIME_LEVEL_ROWS(ROW) \
  ROW(GetLastError, last_error, false) \
  ROW(GetErrorName, error_name, false) \
  ROW(GetErrorString, error_text, false) \
  ROW(GetDevice, device_current, true) \
  ROW(SetDevice, device_set, true) \
  ROW(DeviceSynchronize, device_synchronize, true) \
  ROW(Malloc, memory_alloc, true) \
  ROW(Free, memory_free, true) \
  ROW(MemsetAsync, memset_async, true) \
  ROW(MemcpyAsync, copy_async, false) \
  ROW(StreamCreateWithFlags, stream_create, false) \
  ROW(StreamDestroy, stream_destroy, false) \
  ROW(StreamSynchronize, stream_synchronize, true) \
  ROW(EventCreateWithFlags, event_create, true) \
  ROW(EventDestroy, event_destroy, true) \
  ROW(EventRecord, event_record, true) \
  ROW(EventQuery, event_query, true) \
  ROW(EventElapsedTime, event_elapsed, true)
#define ZL_RUNTIME_LEVEL_ATTRIBUTE_ROWS(ROW) \
  ROW(DeviceGetAttribute, device_attribute, true)
#define ZL_HIP_ROWS(ROW) \
  ROW(Init, init, true) \
  ROW(DriverGetVersion, driver_version, false) \
  ROW(HostMalloc, host_alloc, false) \
  ROW(HostFree, host_free, false) \
  ROW(HostGetDevicePointer, host_device_address, false) \
  ROW(StreamIsCapturing, stream_is_capturing, false) \
  ROW(StreamEndCapture, stream_end_capture, false) \
  ROW(StreamWaitValue32, stream_wait_value, false) \
  ROW(GraphCreate, graph_create, false) \
  ROW(GraphDestroy, graph_destroy, false) \
  ROW(GraphGetNodes, graph_nodes, false) \
  ROW(GraphNodeGetType, graph_node_type, false) \
  ROW(GraphKernelNodeGetParams, graph_kernel, false) \
  ROW(GraphChildGraphNodeGetGraph, graph_child, false) \
  ROW(GraphAddEmptyNode, graph_add_empty, false) \
  ROW(GraphAddMemsetNode, graph_add_memset, false) \
  ROW(GraphAddEventRecordNode, graph_add_event, false) \
  ROW(GraphAddChildGraphNode, graph_add_child, false) \
  ROW(GraphInstantiateWithFlags, graph_instantiate, false) \
  ROW(GraphInstantiate, graph_instantiate_logged, false) \
  ROW(GraphLaunch, graph_launch, false) \
  ROW(GraphExecDestroy, graph_exec_destroy, false)
// clang-format on

// Numbers of HIP's that the adapters use.
inline constexpr int kHipCanWaitForValue = 10013;         // an attribute
inline constexpr unsigned kHipHostCoherent = 0x40000000;  // a flag of host memory
inline constexpr int kHipCopyToHost = 2;                  // a kind of copy, CUDA's number as well

}  // namespace zl::backend
