#include "backend/vendors/runtime_level.h"

#include <cstring>

#include "backend/vendors/vendor_runtimes.h"

namespace zl::backend {

namespace {

constexpr int kInvalidValue = 1;
constexpr int kNotSupported = 801;
constexpr std::uint32_t kWholeWord = 0xffffffff;

// Types of graph nodes in the shared table's numbers.
enum NodeType { kCopy = 1, kEmpty = 5, kCopyOfBytes = 8, kCopyFromSymbol = 12, kCopyToSymbol = 13 };
constexpr int kNotProbed = -1;

// One library of this level a process: the shared table's functions carry no state of their own.
struct State {
  RuntimeLevelApi api{};
  int device = 0;                    // the one that was retained
  int first_node_type = kNotProbed;  // 0 today; ROCm 5.2 counts from 1
};
State state;

// A call that fails leaves its status behind for whoever asks for the last error next, which is the
// framework after its next launch: it must not find ours.
int forgotten(int status) {
  if (status != 0 && state.api.last_error != nullptr) state.api.last_error();
  return status;
}

template <auto member, class... Parameters>
int forward(Parameters... parameters) {
  return forgotten((state.api.*member)(parameters...));
}

void* pointer(DeviceAddress address) {
  return reinterpret_cast<void*>(address);
}

int start(unsigned flags) {
  return state.api.init == nullptr ? 0 : forgotten(state.api.init(flags));
}

int error_name(int status, char const** name) {
  *name = state.api.error_name(status);
  return 0;
}

int error_text(int status, char const** text) {
  *text = state.api.error_text(status);
  return 0;
}

int device_get(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}

int primary_retain(Handle* context, int device) {
  state.device = device;
  *context = &state;
  return forgotten(state.api.device_set(device));
}

// Every thread has a current device, the first one if nobody said: another than ours is none.
int context_current(Handle* context) {
  int device = 0;
  int const status = forgotten(state.api.device_current(&device));
  *context = status == 0 && device == state.device ? &state : nullptr;
  return status;
}

int context_set(Handle) {
  return forgotten(state.api.device_set(state.device));
}

int memory_alloc(DeviceAddress* address, std::size_t bytes) {
  void* memory = nullptr;
  int const status = forgotten(state.api.memory_alloc(&memory, bytes));
  *address = reinterpret_cast<DeviceAddress>(memory);
  return status;
}

int memory_free(DeviceAddress address) {
  return forgotten(state.api.memory_free(pointer(address)));
}

int memset_async(DeviceAddress address, unsigned value, std::size_t words, Handle stream) {
  if (!repeats_one_byte(value)) return kInvalidValue;
  int const byte = static_cast<int>(value & 0xff);
  return forgotten(state.api.memset_async(pointer(address), byte, 4 * words, stream));
}

int copy_to_host(void* to, DeviceAddress from, std::size_t bytes, Handle stream) {
  return forgotten(state.api.copy_async(to, pointer(from), bytes, kHipCopyToHost, stream));
}

// The device must see what the host writes while a kernel waits for it.
int host_alloc(void** memory, std::size_t bytes, unsigned flags) {
  return forgotten(state.api.host_alloc(memory, bytes, flags | kHipHostCoherent));
}

int host_device_address(DeviceAddress* address, void* memory, unsigned flags) {
  void* seen = nullptr;
  int const status = forgotten(state.api.host_device_address(&seen, memory, flags));
  *address = reinterpret_cast<DeviceAddress>(seen);
  return status;
}

// Memory that is no signal of the device's is waited for by a kernel; a runtime that is told not to
// use one refuses.
int stream_wait_value(Handle stream, DeviceAddress address, std::uint32_t value, unsigned flags) {
  int can_wait = 0;
  int const status =
      forgotten(state.api.device_attribute(&can_wait, kHipCanWaitForValue, state.device));
  if (status != 0) return status;
  if (can_wait == 0) return kNotSupported;
  return forgotten(state.api.stream_wait_value(stream, pointer(address), value, flags, kWholeWord));
}

// An empty node tells how the library counts, whatever release it says it is.
int probe_first_node_type() {
  Handle graph = nullptr;
  if (forgotten(state.api.graph_create(&graph, 0)) != 0) return 0;
  Handle node = nullptr;
  int type = kEmpty;
  if (forgotten(state.api.graph_add_empty(&node, graph, nullptr, 0)) == 0) {
    forgotten(state.api.graph_node_type(node, &type));
  }
  forgotten(state.api.graph_destroy(graph));
  return type == kEmpty ? 0 : 1;
}

int graph_node_type(Handle node, int* type) {
  if (state.first_node_type == kNotProbed) state.first_node_type = probe_first_node_type();
  int const status = forgotten(state.api.graph_node_type(node, type));
  *type -= state.first_node_type;
  bool const is_copy = state.first_node_type == 0
                           ? *type == kCopyFromSymbol || *type == kCopyToSymbol
                           : *type >= kCopyOfBytes;
  if (is_copy) *type = kCopy;
  return status;
}

// What `function` points to differs by how the kernel was launched, so nothing can name it.
int graph_kernel(Handle node, KernelNode* kernel) {
  HipKernelNode own{};
  int const status = forgotten(state.api.graph_kernel(node, &own));
  *kernel = {};
  kernel->function = own.function;
  std::memcpy(kernel->grid, own.grid, sizeof(own.grid));
  std::memcpy(kernel->block, own.block, sizeof(own.block));
  kernel->shared_bytes = own.shared_bytes;
  kernel->arguments = own.arguments;
  kernel->extra = own.extra;
  return status;
}

int graph_add_memset(Handle* added, Handle graph, Handle const* after, std::size_t count,
                     MemsetNode const* node, Handle) {
  HipMemsetNode const own{pointer(node->address),
                          node->element_bytes,
                          node->height,
                          node->pitch,
                          node->value,
                          node->width};
  return forgotten(state.api.graph_add_memset(added, graph, after, count, &own));
}

using Level = RuntimeLevelApi;

void adopt_streams(RuntimeApi* api) {
  Level const& own = state.api;
  api->init = start;
  if (own.error_name != nullptr) api->error_name = error_name;
  if (own.error_text != nullptr) api->error_text = error_text;
  api->device_get = device_get;
  if (own.device_attribute != nullptr) api->device_attribute = forward<&Level::device_attribute>;
  api->primary_retain = primary_retain;
  api->context_current = context_current;
  api->context_set = context_set;
  api->context_synchronize = forward<&Level::device_synchronize>;
  api->memory_alloc = memory_alloc;
  api->memory_free = memory_free;
  api->memset_async = memset_async;
  if (own.copy_async != nullptr) api->copy_to_host = copy_to_host;
  if (own.stream_create != nullptr) api->stream_create = forward<&Level::stream_create>;
  if (own.stream_destroy != nullptr) api->stream_destroy = forward<&Level::stream_destroy>;
  api->stream_synchronize = forward<&Level::stream_synchronize>;
  api->event_create = forward<&Level::event_create>;
  api->event_destroy = forward<&Level::event_destroy>;
  api->event_record = forward<&Level::event_record>;
  api->event_query = forward<&Level::event_query>;
  api->event_elapsed = forward<&Level::event_elapsed>;
}

void adopt_hip(RuntimeApi* api) {
  Level const& own = state.api;
  if (own.driver_version != nullptr) api->driver_version = forward<&Level::driver_version>;
  if (own.host_alloc != nullptr) api->host_alloc = host_alloc;
  if (own.host_free != nullptr) api->host_free = forward<&Level::host_free>;
  if (own.host_device_address != nullptr) api->host_device_address = host_device_address;
  if (own.stream_wait_value != nullptr) api->stream_wait_value = stream_wait_value;
  if (own.stream_is_capturing != nullptr) {
    api->stream_is_capturing = forward<&Level::stream_is_capturing>;
  }
  if (own.stream_end_capture != nullptr) {
    api->stream_end_capture = forward<&Level::stream_end_capture>;
  }
}

void adopt_graphs(RuntimeApi* api) {
  Level const& own = state.api;
  if (own.graph_create == nullptr || own.graph_destroy == nullptr || own.graph_nodes == nullptr ||
      own.graph_node_type == nullptr || own.graph_add_empty == nullptr) {
    return;
  }
  api->graph_create = forward<&Level::graph_create>;
  api->graph_destroy = forward<&Level::graph_destroy>;
  api->graph_nodes = forward<&Level::graph_nodes>;
  api->graph_node_type = graph_node_type;
  api->graph_add_empty = forward<&Level::graph_add_empty>;
  if (own.graph_kernel != nullptr) api->graph_kernel = graph_kernel;
  if (own.graph_child != nullptr) api->graph_child = forward<&Level::graph_child>;
  if (own.graph_add_memset != nullptr) api->graph_add_memset = graph_add_memset;
  if (own.graph_add_event != nullptr) api->graph_add_event = forward<&Level::graph_add_event>;
  if (own.graph_add_child != nullptr) api->graph_add_child = forward<&Level::graph_add_child>;
  if (own.graph_instantiate != nullptr) {
    api->graph_instantiate = forward<&Level::graph_instantiate>;
  }
  if (own.graph_instantiate_logged != nullptr) {
    api->graph_instantiate_logged = forward<&Level::graph_instantiate_logged>;
  }
  if (own.graph_launch != nullptr) api->graph_launch = forward<&Level::graph_launch>;
  if (own.graph_exec_destroy != nullptr) {
    api->graph_exec_destroy = forward<&Level::graph_exec_destroy>;
  }
}

void adopt(void const* table, RuntimeApi* api) {
  state = {};
  std::memcpy(&state.api, table, sizeof(state.api));
  adopt_streams(api);
  adopt_hip(api);
  adopt_graphs(api);
}

#define ZL_ROW(name, member, required) {#name, nullptr, offsetof(Level, member), required},
#define ZL_COUNT(name, member, required) +1
constexpr Symbol kRows[] = {ZL_RUNTIME_LEVEL_ROWS(ZL_ROW) ZL_RUNTIME_LEVEL_ATTRIBUTE_ROWS(ZL_ROW)
                                ZL_HIP_ROWS(ZL_ROW)};
constexpr std::size_t kStreamRows = ZL_RUNTIME_LEVEL_ROWS(ZL_COUNT);
#undef ZL_COUNT
#undef ZL_ROW

constexpr std::span<Symbol const> kAllRows(kRows);
constexpr OwnTable kStreams{kAllRows.first(kStreamRows), sizeof(Level), adopt};
constexpr OwnTable kStreamsAndAttributes{kAllRows.first(kStreamRows + 1), sizeof(Level), adopt};
constexpr OwnTable kHip{kAllRows, sizeof(Level), adopt};

// hip_runtime_api.h's hipError_t; the numbers are those of CUDA's runtime library, and the other
// families of this level are known to have kept at least success, not ready and what is sticky.
constexpr StatusRange kStatuses[] = {
    {0, 0, StatusClass::success},
    {600, 600, StatusClass::not_ready},
    {900, 908, StatusClass::capture_only},
    {1, 2, StatusClass::recoverable},      // invalid value, out of memory
    {9, 9, StatusClass::recoverable},      // launch configuration
    {12, 13, StatusClass::recoverable},    // pitch, symbol
    {17, 17, StatusClass::recoverable},    // device pointer
    {21, 21, StatusClass::recoverable},    // direction of a copy
    {98, 98, StatusClass::recoverable},    // device function
    {100, 101, StatusClass::recoverable},  // no such device
    {200, 202, StatusClass::recoverable},  // image, context
    {209, 209, StatusClass::recoverable},  // no binary for this device
    {217, 218, StatusClass::recoverable},  // peer access, kernel file
    {300, 303, StatusClass::recoverable},  // source, file, shared object
    {400, 401, StatusClass::recoverable},  // handle, state
    {500, 500, StatusClass::recoverable},  // symbol not found
    {701, 701, StatusClass::recoverable},  // too many resources for a launch
    {704, 705, StatusClass::recoverable},  // peer access
    {712, 713, StatusClass::recoverable},  // registered memory
    {720, 720, StatusClass::recoverable},  // too large a cooperative launch
    {801, 801, StatusClass::recoverable},  // not supported
    {910, 910, StatusClass::recoverable},  // update of a graph
};

}  // namespace

std::span<RuntimeFamily const> runtime_level_families() {
  static RuntimeFamily const families[] = {
      {.name = "hip",
       .prefix = "hip",
       .statuses = kStatuses,
       .own = &kHip,
       .multiprocessors_attribute = 63,
       .cache_attribute = 19,
       .has_graph_event_times = false},  // the nodes are there (ROCm/rocm-systems#2380)
      {.name = "corex", .prefix = "cuda", .statuses = kStatuses, .own = &kStreamsAndAttributes},
      {.name = "xcudart", .prefix = "cuda", .statuses = kStatuses, .own = &kStreamsAndAttributes},
      {.name = "maca", .prefix = "mc", .statuses = kStatuses, .own = &kStreams},
      {.name = "tops", .prefix = "tops", .statuses = kStatuses, .own = &kStreams},
      {.name = "tang", .prefix = "tang", .statuses = kStatuses, .own = &kStreams},
  };
  return families;
}

}  // namespace zl::backend
