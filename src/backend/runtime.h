// The driver-level runtime of a device as a table of function pointers. Families of one shape share
// this table; what is particular to a vendor (prefix, error codes, device code) is data of a
// family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/library.h"
#include "base/environment.h"
#include "base/result.h"

namespace zl::backend {

using Handle = void*;  // context, stream, event, graph, node, module, function: opaque to us
using DeviceAddress = std::uint64_t;

// Layouts of the C interface that all families share.
struct KernelNode {
  Handle function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  Handle kernel;
  Handle context;
};
static_assert(offsetof(KernelNode, arguments) == 40 && sizeof(KernelNode) == 72);

struct MemsetNode {
  DeviceAddress address;
  std::size_t pitch;
  unsigned value;
  unsigned element_bytes;
  std::size_t width;  // in elements
  std::size_t height;
};
static_assert(sizeof(MemsetNode) == 40);

// Null where the library lacks an optional symbol. All return a status; 0 is success.
struct RuntimeApi {
  int (*init)(unsigned);
  int (*driver_version)(int*);
  int (*error_name)(int, char const**);
  int (*error_text)(int, char const**);
  int (*device_get)(int*, int ordinal);
  int (*device_attribute)(int*, int attribute, int device);
  int (*device_pci_address)(char*, int bytes, int device);
  int (*primary_retain)(Handle*, int device);
  int (*primary_release)(int device);
  int (*context_current)(Handle*);
  int (*context_set)(Handle);
  int (*context_synchronize)();
  int (*context_set_limit)(int limit, std::size_t);
  int (*context_limit)(std::size_t*, int limit);
  int (*reset_persisting_cache)();  // what was kept in the cache is like all else there
  int (*memory_alloc)(DeviceAddress*, std::size_t);
  int (*memory_free)(DeviceAddress);
  int (*host_alloc)(void**, std::size_t, unsigned flags);
  int (*host_free)(void*);
  int (*host_device_address)(DeviceAddress*, void*, unsigned flags);
  int (*memset_async)(DeviceAddress, unsigned value, std::size_t words, Handle stream);
  int (*copy_to_host)(void*, DeviceAddress, std::size_t bytes, Handle stream);
  int (*stream_create)(Handle*, unsigned flags);  // 1: not ordered with the default stream
  int (*stream_destroy)(Handle);
  int (*stream_synchronize)(Handle);
  int (*stream_is_capturing)(Handle, int* status);
  int (*stream_end_capture)(Handle, Handle* graph);
  int (*stream_wait_value)(Handle, DeviceAddress, std::uint32_t, unsigned flags);
  int (*event_create)(Handle*, unsigned flags);
  int (*event_destroy)(Handle);
  int (*event_record)(Handle event, Handle stream);
  int (*event_query)(Handle);
  int (*event_elapsed)(float* ms, Handle begin, Handle end);
  int (*module_load)(Handle*, void const* image);
  int (*module_unload)(Handle);
  int (*module_function)(Handle*, Handle module, char const* name);
  int (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                Handle stream, void** arguments, void** extra);
  int (*function_name)(char const**, Handle function);
  int (*graph_create)(Handle*, unsigned flags);
  int (*graph_destroy)(Handle);
  int (*graph_nodes)(Handle graph, Handle* nodes, std::size_t* count);
  int (*graph_node_type)(Handle node, int* type);
  int (*graph_kernel)(Handle node, KernelNode*);
  int (*graph_child)(Handle node, Handle* graph);
  int (*graph_add_empty)(Handle*, Handle graph, Handle const* after, std::size_t);
  int (*graph_add_kernel)(Handle*, Handle graph, Handle const* after, std::size_t,
                          KernelNode const*);
  int (*graph_add_memset)(Handle*, Handle graph, Handle const* after, std::size_t,
                          MemsetNode const*, Handle context);
  int (*graph_add_event)(Handle*, Handle graph, Handle const* after, std::size_t, Handle event);
  int (*graph_add_child)(Handle*, Handle graph, Handle const* after, std::size_t, Handle child);
  int (*graph_instantiate)(Handle*, Handle graph, unsigned long long flags);
  int (*graph_instantiate_logged)(Handle*, Handle graph, Handle* node, char* log, std::size_t);
  int (*graph_upload)(Handle exec, Handle stream);
  int (*graph_launch)(Handle exec, Handle stream);
  int (*graph_exec_destroy)(Handle);
};

// What a status means for the process that got it.
enum class StatusClass {
  success,
  not_ready,
  capture_only,  // the capture is lost, the process is not
  recoverable,   // the call failed, the process is not hurt
  sticky,        // every later call fails as well: only a new process helps
};
std::string_view to_text(StatusClass status_class);

struct StatusRange {
  int first;
  int last;
  StatusClass status_class;
};

// The symbols of a family that has not the shared table's, and what makes that table of them. Its
// functions keep the symbols where all of them find them: one runtime of a family a process.
struct OwnTable {
  std::span<Symbol const> symbols;  // names without the family's prefix
  std::size_t bytes;                // of the table that `symbols` fills: pointers only
  void (*adopt)(void const* table, RuntimeApi* api);
};

class DeviceStateReader;

struct RuntimeFamily {
  std::string_view name;
  std::string_view prefix;                // of every symbol
  std::span<StatusRange const> statuses;  // a status in none of them is sticky
  std::string_view device_code = "";      // for module_load, ends with a NUL; empty: none
  OwnTable const* own = nullptr;          // null: the library has the shared table's symbols
  int multiprocessors_attribute = 16;     // a number for device_attribute
  int cache_attribute = 38;               // as well; in bytes
  int persisting_cache_limit = 6;         // a number for context_set_limit
  std::size_t assumed_cache_bytes = 0;    // of a device that tells none
  bool has_graph_event_times = true;      // of events that are nodes of a graph
  // Null, and a null result: nobody tells the state of the device at that address.
  std::unique_ptr<DeviceStateReader> (*open_state)(char const* pci_address) = nullptr;
};
std::span<RuntimeFamily const> runtime_families();
// The family of what works on the processor itself: no table, no library.
inline constexpr std::string_view kHostFamily = "host";

// What the symbols that were found allow.
struct RuntimeFeatures {
  bool graphs = false;  // compose, instantiate, launch
  bool graph_event_nodes = false;
  bool stream_wait_value = false;
  bool device_code = false;
};

struct DeviceRuntime {
  RuntimeApi api{};
  RuntimeFamily const* family = nullptr;
  std::string library;
  std::vector<std::string> missing;  // optional symbols that are not there

  RuntimeFeatures features() const;
  StatusClass classify(int status) const;
  // "launch failed (NAME, code 1): text".
  std::string describe(std::string_view what, int status) const;
};

// Opens a library that the process has loaded already where there is one among the candidates, so
// that we share the framework's; else the first candidate that opens. The error names, for each
// candidate, what the loader said or the symbol that is missing.
Result<DeviceRuntime> open_runtime(std::string_view family,
                                   std::vector<std::string> const& libraries,
                                   Environment const& environment);

// By whichever of the two entry points is there; features().graphs must hold.
int instantiate_graph(RuntimeApi const& api, Handle* exec, Handle graph);

}  // namespace zl::backend
