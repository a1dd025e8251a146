#include "fake_runtime.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <thread>

#ifndef FAKE_PREFIX
#define FAKE_PREFIX fake_
#endif
#define FAKE_JOIN2(a, b) a##b
#define FAKE_JOIN(a, b) FAKE_JOIN2(a, b)
#define ENTRY(name) extern "C" int FAKE_JOIN(FAKE_PREFIX, name)
#define BEGIN(name) \
  if (int const status = begin_call(#name); status != 0) return status

namespace {

using zl::backend::DeviceAddress;
using zl::backend::Handle;
using zl::backend::KernelNode;
using zl::backend::MemsetNode;

constexpr int kOutOfMemory = 2, kNotReady = 600, kBadHandle = 400, kIllegal = 700;
constexpr int kUnsupportedLimit = 215;
enum Type { kKernel = 0, kMemset = 2, kChild = 4, kEmpty = 5, kEvent = 7 };

struct Function {
  std::string name;
};
struct Event {
  bool is_recorded = false;
  bool is_done = false;
  bool has_time = true;
  double at_ns = 0;
};
struct Node {
  int type;
  Function* function = nullptr;
  KernelNode kernel{};
  std::uint64_t arguments[2] = {};
  Event* event = nullptr;
  std::vector<Node> child = {};
};
struct Graph {
  std::deque<Node> nodes;
};
struct Op {
  Node node{kEmpty};
  double enqueued_ns = 0;
  bool is_wait = false;
  std::uint32_t* flag = nullptr;
  std::uint32_t value = 0;
  bool is_in_graph = false;
};

struct Device {
  fake::Script script;
  double device_ns = 1e6;
  double host_ns = 1e6;
  double side_ns = 0;  // end of the work on the side stream
  double cycles = 0;
  int work_launches = 0;
  int dead = 0;
  std::uint64_t noise = 1;
  std::deque<Op> queue;
  std::map<std::string, int> counts;
  std::vector<std::string> calls;
  std::set<void*> live;
  std::size_t used_bytes = 0;
  std::map<DeviceAddress, std::size_t> memory;
  std::map<DeviceAddress, std::uint64_t> words;  // what kernels stored there
  Handle current = nullptr;
  void (*on_work)(std::uint64_t id) = nullptr;  // what a "work" with an id does when it runs
};

Device device;
Function work{"work"}, nop{"nop"}, stamp{"stamp"}, spin{"spin_ns"}, flush_kernel{"flush_read"};
Function chain{"spin_iter"};

constexpr double kCyclesPerStep = 24;

int begin_call(char const* name) {
  device.host_ns += device.script.host_call_ns;
  device.calls.emplace_back(name);
  int const count = ++device.counts[name];
  if (device.dead != 0) return device.dead;
  auto const found = device.script.failures.find(name);
  if (found == device.script.failures.end()) return 0;
  fake::Failure const& failure = found->second;
  bool const fails = failure.stays ? count >= failure.at_call : count == failure.at_call;
  return fails ? failure.status : 0;
}

template <class T>
T* create() {
  auto* const made = new T;
  device.live.insert(made);
  return made;
}

template <class T>
int destroy(Handle handle) {
  if (device.live.erase(handle) == 0) return kBadHandle;
  delete static_cast<T*>(handle);
  return 0;
}

double noise() {
  device.noise = device.noise * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(device.noise >> 11) * 0x1p-52 - 1;
}

double current_clock() {
  auto const& of_launch = device.script.clock_of_launch;
  return of_launch ? of_launch(device.work_launches) : device.script.clock_mhz;
}

void pass(double ns) {
  device.device_ns += ns;
  device.cycles += ns * current_clock() / 1e3;
}

void run_kernel(Node const& node) {
  fake::Script const& script = device.script;
  if (node.function == &work) {
    double const drift = 1 + script.drift_per_launch * device.work_launches;
    pass(script.work_ns * drift * (1 + script.jitter * noise()));
    if (++device.work_launches == script.sticky_at_work) device.dead = kIllegal;
    if (device.on_work != nullptr && node.arguments[0] != 0) device.on_work(node.arguments[0]);
  } else if (node.function == &spin) {
    pass(static_cast<double>(node.arguments[0]));
    if (node.arguments[1] != 0) {
      std::memcpy(reinterpret_cast<void*>(node.arguments[1]), &node.arguments[0], 8);
    }
  } else if (node.function == &chain) {
    double const cycles = kCyclesPerStep * static_cast<double>(node.arguments[0]);
    pass(1e3 * cycles / current_clock());
    device.words[node.arguments[1]] = static_cast<std::uint64_t>(cycles);
    pass(script.start_ns * (1 + script.jitter * noise()));
  } else if (node.function == &flush_kernel) {
    pass(script.flush_ns);
  } else if (node.function == &stamp) {
    std::uint64_t const values[2] = {static_cast<std::uint64_t>(device.cycles),
                                     static_cast<std::uint64_t>(device.device_ns)};
    std::memcpy(reinterpret_cast<void*>(node.arguments[0]), values, sizeof(values));
  }
}

void run_node(Node const& node, bool is_in_graph) {
  if (node.type == kKernel) run_kernel(node);
  if (node.type == kMemset) pass(device.script.flush_ns);
  if (node.type == kEvent) {
    pass(device.script.event_ns);
    double const tick = device.script.tick_ns;
    node.event->at_ns = std::floor(device.script.event_rate * device.device_ns / tick) * tick;
    node.event->is_done = true;
    node.event->has_time = !is_in_graph || device.script.has_event_times_in_graphs;
  }
  for (Node const& child : node.child) run_node(child, is_in_graph);
}

// Runs what has begun by `until_ns` of the host; a held stream stops it, or is waited for.
void run_queue(double until_ns, bool is_waiting) {
  while (!device.queue.empty() && device.dead == 0) {
    Op& op = device.queue.front();
    double const start = std::max(device.device_ns, op.enqueued_ns);
    if (op.is_wait) {
      std::atomic_ref<std::uint32_t> const flag(*op.flag);
      while (flag.load() < op.value) {
        if (!is_waiting) return;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
      device.device_ns = std::max(start, device.host_ns);
    } else {
      if (start > until_ns) return;
      device.device_ns = start;
      run_node(op.node, op.is_in_graph);
    }
    device.queue.pop_front();
  }
}

int synchronise() {
  run_queue(1e300, true);
  device.host_ns = std::max(device.host_ns, device.device_ns);
  return device.dead;
}

void enqueue(Node node, bool is_in_graph = false) {
  Op op;
  op.node = std::move(node);
  op.enqueued_ns = device.host_ns;
  op.is_in_graph = is_in_graph;
  device.queue.push_back(std::move(op));
}

Node kernel_node(Handle function, void** arguments) {
  Node node{kKernel};
  node.function = static_cast<Function*>(function);
  if (arguments != nullptr) {
    std::memcpy(&node.arguments[0], arguments[0], 8);
    std::memcpy(&node.arguments[1], arguments[1], node.function == &stamp ? 4 : 8);
  }
  return node;
}

int add_node(Handle* added, Handle graph, Node node) {
  auto& nodes = static_cast<Graph*>(graph)->nodes;
  nodes.push_back(std::move(node));
  *added = &nodes.back();
  return 0;
}

int instantiate(Handle* exec, Handle graph) {
  auto* const made = create<Graph>();
  *made = *static_cast<Graph*>(graph);
  *exec = made;
  return 0;
}

}  // namespace

ENTRY(Init)(unsigned) {
  BEGIN(Init);
#ifdef FAKE_LIBRARY
  if (char const* const code = std::getenv("FAKE_RUNTIME_INIT")) return std::atoi(code);
#endif
  return 0;
}
ENTRY(DriverGetVersion)(int* version) {
  *version = 12080;
  return 0;
}
ENTRY(GetErrorName)(int status, char const** text) {
  *text = status == kIllegal ? "ILLEGAL_ADDRESS" : "SCRIPTED";
  return 0;
}
ENTRY(GetErrorString)(int, char const** text) {
  *text = "as the script says";
  return 0;
}
ENTRY(DeviceGet)(int* found, int ordinal) {
  BEGIN(DeviceGet);
  if (ordinal != 0) return 101;
  *found = 0;
  return 0;
}
ENTRY(DeviceGetAttribute)(int* value, int attribute, int) {
  *value = attribute == 16 ? 4 : attribute == 38 ? 60 << 20 : 0;
  return 0;
}
ENTRY(DeviceGetPCIBusId)(char* address, int bytes, int) {
  BEGIN(DeviceGetPCIBusId);
  std::snprintf(address, static_cast<std::size_t>(bytes), "0000:0F:00.0");
  return 0;
}
ENTRY(DevicePrimaryCtxRetain)(Handle* context, int) {
  BEGIN(DevicePrimaryCtxRetain);
  device.live.insert(&device);
  *context = &device;
  return 0;
}
ENTRY(DevicePrimaryCtxRelease_v2)(int) {
  device.live.erase(&device);
  return 0;
}
ENTRY(CtxGetCurrent)(Handle* context) {
  BEGIN(CtxGetCurrent);
  *context = device.current;
  return 0;
}
ENTRY(CtxSetCurrent)(Handle context) {
  device.current = context;
  return 0;
}
ENTRY(CtxSynchronize)() {
  BEGIN(CtxSynchronize);
  int const status = synchronise();
#ifdef FAKE_LIBRARY  // its callers have real clocks
  std::this_thread::sleep_for(
      std::chrono::duration<double, std::nano>(std::max(0.0, device.side_ns - device.host_ns)));
#endif
  device.host_ns = std::max(device.host_ns, device.side_ns);
  return status;
}
#ifndef FAKE_OLD
ENTRY(CtxSetLimit)(int limit, std::size_t value) {
  BEGIN(CtxSetLimit);
  if (limit != 6) return kUnsupportedLimit;
  device.script.persisting_bytes = value;
  return 0;
}
ENTRY(CtxGetLimit)(std::size_t* value, int limit) {
  BEGIN(CtxGetLimit);
  *value = device.script.persisting_bytes;
  return limit == 6 ? 0 : kUnsupportedLimit;
}
ENTRY(CtxResetPersistingL2Cache)() {
  BEGIN(CtxResetPersistingL2Cache);
  return 0;
}
#endif
#ifndef FAKE_WITHOUT_ALLOC
ENTRY(MemAlloc_v2)(DeviceAddress* address, std::size_t bytes) {
  BEGIN(MemAlloc_v2);
  if (device.used_bytes + bytes > device.script.memory_bytes) return kOutOfMemory;
  *address = DeviceAddress{0x1000} + device.used_bytes;
  device.used_bytes += bytes;
  device.memory[*address] = bytes;
  return 0;
}
#endif
ENTRY(MemFree_v2)(DeviceAddress address) {
  device.memory.erase(address);
  return 0;
}
ENTRY(MemHostAlloc)(void** memory, std::size_t bytes, unsigned) {
  BEGIN(MemHostAlloc);
  *memory = std::aligned_alloc(128, (bytes + 127) / 128 * 128);
  device.live.insert(*memory);
  return 0;
}
ENTRY(MemFreeHost)(void* memory) {
  device.live.erase(memory);
  std::free(memory);
  return 0;
}
ENTRY(MemHostGetDevicePointer_v2)(DeviceAddress* address, void* memory, unsigned) {
  *address = reinterpret_cast<DeviceAddress>(memory);
  return 0;
}
ENTRY(MemsetD32Async)(DeviceAddress, unsigned, std::size_t, Handle) {
  BEGIN(MemsetD32Async);
  enqueue(Node{kMemset});
  return 0;
}
ENTRY(MemcpyDtoHAsync_v2)(void* to, DeviceAddress from, std::size_t bytes, Handle) {
  BEGIN(MemcpyDtoHAsync_v2);
  int const status = synchronise();
  std::memset(to, 0, bytes);
  std::memcpy(to, &device.words[from], std::min(bytes, sizeof(std::uint64_t)));
  return status;
}
ENTRY(StreamCreate)(Handle* stream, unsigned) {
  BEGIN(StreamCreate);
  *stream = create<Event>();
  return 0;
}
ENTRY(StreamDestroy_v2)(Handle stream) {
  return destroy<Event>(stream);
}
ENTRY(StreamSynchronize)(Handle) {
  BEGIN(StreamSynchronize);
  return synchronise();
}
ENTRY(StreamIsCapturing)(Handle, int* status) {
  *status = device.script.capture_status;
  return 0;
}
ENTRY(StreamEndCapture)(Handle, Handle* graph) {
  BEGIN(StreamEndCapture);
  *graph = nullptr;
  bool const is_lost = device.script.capture_status == 2;
  device.script.capture_status = 0;
  return is_lost ? 901 : 0;
}
#ifndef FAKE_OLD
ENTRY(StreamWaitValue32_v2)(Handle, DeviceAddress address, std::uint32_t value, unsigned) {
  BEGIN(StreamWaitValue32_v2);
  Op op;
  op.is_wait = true;
  op.enqueued_ns = device.host_ns;
  op.flag = reinterpret_cast<std::uint32_t*>(address);
  op.value = value;
  device.queue.push_back(op);
  return 0;
}
#endif
ENTRY(EventCreate)(Handle* event, unsigned) {
  BEGIN(EventCreate);
  *event = create<Event>();
  return 0;
}
ENTRY(EventDestroy_v2)(Handle event) {
  return destroy<Event>(event);
}
ENTRY(EventRecord)(Handle event, Handle) {
  BEGIN(EventRecord);
  Node node{kEvent};
  node.event = static_cast<Event*>(event);
  node.event->is_recorded = true;
  node.event->is_done = false;
  enqueue(std::move(node));
  return 0;
}
ENTRY(EventQuery)(Handle event) {
  BEGIN(EventQuery);
  run_queue(device.host_ns, false);
  return static_cast<Event*>(event)->is_done ? 0 : kNotReady;
}
#ifdef FAKE_OLD
ENTRY(EventElapsedTime)(float* ms, Handle begin, Handle end) {
#else
ENTRY(EventElapsedTime_v2)(float* ms, Handle begin, Handle end) {
#endif
  BEGIN(EventElapsedTime_v2);
  auto const& first = *static_cast<Event*>(begin);
  auto const& last = *static_cast<Event*>(end);
  if (!first.is_done || !last.is_done || !first.has_time || !last.has_time) return kBadHandle;
  *ms = static_cast<float>((last.at_ns - first.at_ns) / 1e6);
  return 0;
}
ENTRY(ModuleLoadData)(Handle* module, void const* image) {
  BEGIN(ModuleLoadData);
  if (std::strstr(static_cast<char const*>(image), ".visible .entry stamp") == nullptr) return 200;
  *module = create<Graph>();
  return 0;
}
ENTRY(ModuleUnload)(Handle module) {
  return destroy<Graph>(module);
}
ENTRY(ModuleGetFunction)(Handle* function, Handle, char const* name) {
  BEGIN(ModuleGetFunction);
  for (Function* known : {&nop, &stamp, &spin, &flush_kernel, &chain}) {
    if (known->name == name) *function = known;
  }
  return *function == nullptr ? 500 : 0;
}
ENTRY(LaunchKernel)
(Handle function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
 Handle stream, void** arguments, void**) {
  BEGIN(LaunchKernel);
  if (stream != nullptr && stream == device.script.side_stream) {
    device.side_ns = std::max(device.side_ns, device.host_ns) + device.script.work_ns;
    return 0;
  }
  enqueue(kernel_node(function, arguments));
  return 0;
}
ENTRY(FuncGetName)(char const** name, Handle function) {
  *name = static_cast<Function*>(function)->name.c_str();
  return 0;
}
ENTRY(GraphCreate)(Handle* graph, unsigned) {
  BEGIN(GraphCreate);
  *graph = create<Graph>();
  return 0;
}
ENTRY(GraphDestroy)(Handle graph) {
  return destroy<Graph>(graph);
}
ENTRY(GraphGetNodes)(Handle graph, Handle* nodes, std::size_t* count) {
  BEGIN(GraphGetNodes);
  auto& all = static_cast<Graph*>(graph)->nodes;
  for (std::size_t i = 0; nodes != nullptr && i < all.size(); ++i) nodes[i] = &all[i];
  *count = all.size();
  return 0;
}
ENTRY(GraphNodeGetType)(Handle node, int* type) {
  *type = static_cast<Node*>(node)->type;
  return 0;
}
ENTRY(GraphKernelNodeGetParams_v2)(Handle node, KernelNode* kernel) {
  *kernel = static_cast<Node*>(node)->kernel;
  kernel->function = static_cast<Node*>(node)->function;
  return 0;
}
ENTRY(GraphAddEmptyNode)(Handle* added, Handle graph, Handle const*, std::size_t) {
  BEGIN(GraphAddEmptyNode);
  return add_node(added, graph, Node{kEmpty});
}
ENTRY(GraphAddKernelNode_v2)
(Handle* added, Handle graph, Handle const*, std::size_t, KernelNode const* kernel) {
  BEGIN(GraphAddKernelNode_v2);
  Node node = kernel_node(kernel->function, kernel->arguments);
  node.kernel = *kernel;
  return add_node(added, graph, std::move(node));
}
ENTRY(GraphAddMemsetNode)
(Handle* added, Handle graph, Handle const*, std::size_t, MemsetNode const*, Handle) {
  BEGIN(GraphAddMemsetNode);
  return add_node(added, graph, Node{kMemset});
}
#ifndef FAKE_OLD
ENTRY(GraphAddEventRecordNode)
(Handle* added, Handle graph, Handle const*, std::size_t, Handle event) {
  BEGIN(GraphAddEventRecordNode);
  Node node{kEvent};
  node.event = static_cast<Event*>(event);
  return add_node(added, graph, std::move(node));
}
ENTRY(GraphUpload)(Handle, Handle) {
  BEGIN(GraphUpload);
  return 0;
}
ENTRY(GraphInstantiateWithFlags)(Handle* exec, Handle graph, unsigned long long) {
  BEGIN(GraphInstantiateWithFlags);
  return instantiate(exec, graph);
}
#endif
ENTRY(GraphInstantiate_v2)(Handle* exec, Handle graph, Handle*, char*, std::size_t) {
  BEGIN(GraphInstantiate_v2);
  return instantiate(exec, graph);
}
ENTRY(GraphAddChildGraphNode)
(Handle* added, Handle graph, Handle const*, std::size_t, Handle child) {
  BEGIN(GraphAddChildGraphNode);
  Node node{kChild};
  auto const& nodes = static_cast<Graph*>(child)->nodes;
  node.child.assign(nodes.begin(), nodes.end());
  return add_node(added, graph, std::move(node));
}
ENTRY(GraphLaunch)(Handle exec, Handle) {
  BEGIN(GraphLaunch);
  for (Node const& node : static_cast<Graph*>(exec)->nodes) enqueue(node, true);
  return 0;
}
ENTRY(GraphExecDestroy)(Handle exec) {
  return destroy<Graph>(exec);
}
// For whoever has the library only: a graph as a framework would hand it over.
extern "C" Handle FAKE_JOIN(FAKE_PREFIX, CapturedGraph)(int kernels) {
  auto* const graph = create<Graph>();
  for (int i = 0; i < kernels; ++i) graph->nodes.push_back(kernel_node(&work, nullptr));
  return graph;
}
extern "C" Handle FAKE_JOIN(FAKE_PREFIX, WorkKernel)() {
  return &work;
}
// At the n-th "work" from here on; 0 never, and brings a dead device back.
extern "C" void FAKE_JOIN(FAKE_PREFIX, DieAtWork)(int launch) {
  device.dead = 0;
  device.queue.clear();
  device.script.sticky_at_work = launch == 0 ? 0 : device.work_launches + launch;
}
extern "C" void FAKE_JOIN(FAKE_PREFIX, SideStream)(Handle stream) {
  device.script.side_stream = stream;
}
extern "C" void FAKE_JOIN(FAKE_PREFIX, Capturing)(int status) {
  device.script.capture_status = status;
}
extern "C" void FAKE_JOIN(FAKE_PREFIX, OnWork)(void (*on_work)(std::uint64_t id)) {
  device.on_work = on_work;
}
// A "work" of each id, which OnWork's function gets whenever it runs.
extern "C" Handle FAKE_JOIN(FAKE_PREFIX, CapturedWork)(std::uint64_t const* ids,
                                                       std::size_t count) {
  auto* const graph = create<Graph>();
  for (std::size_t i = 0; i < count; ++i) {
    graph->nodes.push_back(kernel_node(&work, nullptr));
    graph->nodes.back().arguments[0] = ids[i];
  }
  return graph;
}

#ifndef FAKE_LIBRARY
namespace fake {

void reset(Script script) {
  device = Device();
  device.script = std::move(script);
}
Script& script() {
  return device.script;
}
std::int64_t host_ns() {
  return static_cast<std::int64_t>(device.host_ns);
}
void pass_host_time(std::int64_t ns) {
  device.host_ns += static_cast<double>(ns);
}
std::vector<std::string> const& calls() {
  return device.calls;
}
std::size_t live_handles() {
  return device.live.size() + device.memory.size();
}
Handle work_kernel() {
  return &work;
}

Handle captured_graph(int kernels, int extra_type) {
  Handle const graph = fake_CapturedGraph(kernels);
  if (extra_type >= 0) static_cast<Graph*>(graph)->nodes.push_back(Node{extra_type});
  return graph;
}

zl::backend::RuntimeApi api() {
  zl::backend::RuntimeApi table{};
  table.init = fake_Init;
  table.driver_version = fake_DriverGetVersion;
  table.error_name = fake_GetErrorName;
  table.error_text = fake_GetErrorString;
  table.device_get = fake_DeviceGet;
  table.device_attribute = fake_DeviceGetAttribute;
  table.device_pci_address = fake_DeviceGetPCIBusId;
  table.primary_retain = fake_DevicePrimaryCtxRetain;
  table.primary_release = fake_DevicePrimaryCtxRelease_v2;
  table.context_current = fake_CtxGetCurrent;
  table.context_set = fake_CtxSetCurrent;
  table.context_synchronize = fake_CtxSynchronize;
  table.context_set_limit = fake_CtxSetLimit;
  table.context_limit = fake_CtxGetLimit;
  table.reset_persisting_cache = fake_CtxResetPersistingL2Cache;
  table.memory_alloc = fake_MemAlloc_v2;
  table.memory_free = fake_MemFree_v2;
  table.host_alloc = fake_MemHostAlloc;
  table.host_free = fake_MemFreeHost;
  table.host_device_address = fake_MemHostGetDevicePointer_v2;
  table.memset_async = fake_MemsetD32Async;
  table.copy_to_host = fake_MemcpyDtoHAsync_v2;
  table.stream_create = fake_StreamCreate;
  table.stream_destroy = fake_StreamDestroy_v2;
  table.stream_synchronize = fake_StreamSynchronize;
  table.stream_is_capturing = fake_StreamIsCapturing;
  table.stream_end_capture = fake_StreamEndCapture;
  table.stream_wait_value = fake_StreamWaitValue32_v2;
  table.event_create = fake_EventCreate;
  table.event_destroy = fake_EventDestroy_v2;
  table.event_record = fake_EventRecord;
  table.event_query = fake_EventQuery;
  table.event_elapsed = fake_EventElapsedTime_v2;
  table.module_load = fake_ModuleLoadData;
  table.module_unload = fake_ModuleUnload;
  table.module_function = fake_ModuleGetFunction;
  table.launch = fake_LaunchKernel;
  table.function_name = fake_FuncGetName;
  table.graph_create = fake_GraphCreate;
  table.graph_destroy = fake_GraphDestroy;
  table.graph_nodes = fake_GraphGetNodes;
  table.graph_node_type = fake_GraphNodeGetType;
  table.graph_kernel = fake_GraphKernelNodeGetParams_v2;
  table.graph_add_empty = fake_GraphAddEmptyNode;
  table.graph_add_kernel = fake_GraphAddKernelNode_v2;
  table.graph_add_memset = fake_GraphAddMemsetNode;
  table.graph_add_event = fake_GraphAddEventRecordNode;
  table.graph_add_child = fake_GraphAddChildGraphNode;
  table.graph_instantiate = fake_GraphInstantiateWithFlags;
  table.graph_upload = fake_GraphUpload;
  table.graph_launch = fake_GraphLaunch;
  table.graph_exec_destroy = fake_GraphExecDestroy;
  return table;
}

}  // namespace fake
#endif
