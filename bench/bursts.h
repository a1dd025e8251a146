#pragma once

#include <functional>

#include "lab.h"
#include "timing/watchdog.h"

namespace zl::bench {

enum class Flush { none, engine, same_module, memset, sized_read, sized_memset };
enum class Between { nothing, nop, landing, same_kernel, pause };

// One way to take samples: flush, something between, event, work, event.
struct Recipe {
  char const* name;
  Flush flush = Flush::engine;
  Between between = Between::nothing;
  std::size_t calls = 1;
  bool is_child = true;         // the work is a graph within the graph
  std::size_t flush_bytes = 0;  // of the sized flushes
};

// The work of one sample; `between` is the same kernel, short.
using Work = std::function<Kernel(std::size_t slot)>;

struct Sampled {
  std::vector<double> intervals_ns;
  std::vector<double> begins_ns;  // since the reference event; only with one
  std::vector<std::byte> slots;
};

class GraphBurst {
 public:
  explicit GraphBurst(Lab const& lab) : lab_(lab) {}
  ~GraphBurst() { release(); }
  GraphBurst(GraphBurst const&) = delete;
  GraphBurst& operator=(GraphBurst const&) = delete;
  DeviceResult<void> compose(Recipe const& recipe, Work const& work, Work const& brief,
                             std::size_t samples);
  DeviceResult<Sampled> run();
  // After a reference event and a kernel that stores the time, nothing of it waits for the host.
  DeviceResult<Sampled> run_after_reference();

 private:
  DeviceResult<void> add_sample(Handle* after, std::size_t sample);
  DeviceResult<void> add_work(Handle* after, Kernel const& kernel);
  DeviceResult<void> add_flush(Handle* after);
  DeviceResult<void> add_event(Handle* after, Handle event);
  DeviceResult<Sampled> collect(bool has_reference);
  void release();

  Lab const& lab_;
  Recipe recipe_{};
  Work work_;
  Work brief_;
  std::size_t samples_ = 0;
  Handle graph_ = nullptr;
  Handle exec_ = nullptr;
};

// The same on a stream that is held until everything is queued.
class DirectBurst {
 public:
  DirectBurst(Lab const& lab, timing::Watchdog& watchdog) : lab_(lab), watchdog_(watchdog) {}
  DeviceResult<Sampled> run(Recipe const& recipe, Work const& work, Work const& brief,
                            std::size_t samples, int attempts = 3);

 private:
  DeviceResult<void> submit(Recipe const& recipe, Work const& work, Work const& brief,
                            std::size_t samples);
  Lab const& lab_;
  timing::Watchdog& watchdog_;
};

DeviceResult<Sampled> read_samples(Lab const& lab, std::size_t samples);

}  // namespace zl::bench
