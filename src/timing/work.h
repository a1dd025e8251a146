#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timing/census.h"
#include "timing/direct_source.h"
#include "timing/measure.h"
#include "timing/nulls.h"

namespace zl::timing {

// What is to be measured: a call, and the graph of exactly one call where it could be captured.
struct Work {
  std::string id;                     // names the measurement: the same id gives the same dither
  Handle graph = nullptr;             // must live until the measurement is over, as `restore`
  Handle restore = nullptr;           // graph that puts back what a call changes; null: nothing
  std::string no_graph;               // why `graph` is null
  DirectCalls calls;                  // calls.call may be missing where there is a graph
  std::optional<std::string> escape;  // what Engine::audit() said of it; none: not asked yet
};

struct MeasureRequest {
  bool is_cold = true;  // the cache is flushed before each sample
  double tau = 0;       // the usual change between runs, as a share; 0: not known
};

struct DeviceTiming {
  std::string caliber;
  Record record;
  Summary summary;
  std::size_t samples_per_burst = 1;
  std::optional<NodeCensus> census;  // of a graph
  std::string fallback;              // why it was not taken in the best way; empty: it was
  // Seen at the call, beside the samples: "host_only" (it has no work for the device),
  // "escaped_work" (work on another stream or thread: the interval has the host's time in it).
  std::vector<std::string> flags;
};
using DeviceTimings = std::vector<DeviceTiming>;  // in the order of the works

// Brings each record into the form that is stored, and fills in its summary.
DeviceResult<void> summarise_records(DeviceTimings* timings);

// What measuring stands on.
struct Bench {
  Session const& session;
  Nulls& nulls;
  MeasureParams params;
  DirectParams direct_params;
  double tick_ns = 0;
};

// Three ways of measuring, all works in the same one and within the same visits.
DeviceResult<DeviceTimings> measure_in_graph(Bench const& bench, std::vector<Work> const& works,
                                             Handle stream, MeasureRequest const& request);
// The captured graphs launched between events on the stream.
DeviceResult<DeviceTimings> measure_launches(Bench const& bench, std::vector<Work> const& works,
                                             Handle stream, MeasureRequest const& request);
// The calls themselves; in the best mode that all of them allow, none better than `best`.
DeviceResult<DeviceTimings> measure_calls(Bench const& bench, std::vector<Work> const& works,
                                          Handle stream, MeasureRequest const& request,
                                          DirectMode best);

}  // namespace zl::timing
