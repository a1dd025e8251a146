// A device that keeps a script, behind the same entry points as a driver-level runtime. Compiled
// into a test it is a table; compiled as a library it exports the symbols under FAKE_PREFIX. Time
// is virtual: `device_ns` goes on with the work, `host_ns` with every call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/runtime.h"

namespace fake {

struct Failure {
  int status;
  int at_call = 1;    // the first call that fails
  bool stays = true;  // and every later one
};

struct Script {
  double work_ns = 20'000;      // of the kernel "work"
  double jitter = 0;            // relative, evenly spread to both sides
  double drift_per_launch = 0;  // relative, of each "work" that ran before
  double flush_ns = 35'000;
  double event_ns = 800;        // what recording costs the device
  double tick_ns = 32;          // of the events' clock
  double event_rate = 1;        // of the events' clock, against the device's
  double start_ns = 0;          // of a chain of steps, beside its cycles; with `jitter`
  double host_call_ns = 1'000;  // what an entry point costs the host
  double clock_mhz = 1980;
  std::function<double(int launch)> clock_of_launch = {};  // of the n-th "work"; empty: clock_mhz
  bool has_event_times_in_graphs = true;
  int capture_status = 0;
  std::size_t memory_bytes = std::size_t{1} << 40;
  std::map<std::string, Failure> failures = {};  // by the name in the table: "GraphLaunch"
  zl::backend::Handle side_stream = nullptr;     // work launched here runs beside all the rest
  std::size_t persisting_bytes = 0;              // of the cache, kept from a flush
  int sticky_at_work = 0;                        // the n-th "work" kills the device with status 700
};

// Forgets everything; what was created before must not be used after.
void reset(Script script);
Script& script();
std::int64_t host_ns();
void pass_host_time(std::int64_t ns);
std::vector<std::string> const& calls();  // names of the entry points, in order
std::size_t live_handles();               // graphs, execs, events, modules, memory not given back
zl::backend::RuntimeApi api();
zl::backend::Handle work_kernel();
// A graph of `kernels` kernels "work"; a node of type `extra_type` more when it is not negative.
zl::backend::Handle captured_graph(int kernels, int extra_type = -1);

}  // namespace fake
