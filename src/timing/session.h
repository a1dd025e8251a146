#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backend/device_state.h"
#include "timing/device_error.h"

namespace zl::timing {

using backend::DeviceAddress;
using backend::Handle;

// What the engine asks of the machine around it; tests give their own.
struct HostEnvironment {
  std::function<std::int64_t()> now_ns;  // never goes back
  std::function<void(std::int64_t)> sleep_ns;
  // Changes whenever somebody else touched the device, or something compiled or tuned.
  std::function<std::uint64_t()> epoch;
  // Whoever tells the state of a device, by the runtime's own number; empty, or null: nobody.
  std::function<std::unique_ptr<backend::DeviceStateReader>(backend::DeviceRuntime const&,
                                                            int device)>
      open_device_state = {};
};
HostEnvironment real_host();

inline constexpr std::size_t kMaxSamplesPerBurst = 32;

// What one process needs for measuring on one device: the context the framework uses, a buffer that
// pushes everything out of the cache, events, and the engine's own device code where there is any.
class Session {
 public:
  static DeviceResult<std::unique_ptr<Session>> open(backend::DeviceRuntime runtime,
                                                     HostEnvironment host, int device);
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  backend::DeviceRuntime const& runtime() const { return runtime_; }
  backend::RuntimeApi const& api() const { return runtime_.api; }
  HostEnvironment const& host() const { return host_; }
  DeviceResult<void> check(int status, char const* what) const {
    return checked(runtime_, status, what);
  }

  // Makes the device's context current on this thread when none is.
  DeviceResult<void> enter() const;

  // Between bursts only: asking takes time. Null: nobody tells.
  backend::DeviceStateReader* device_state() const { return device_state_.get(); }
  std::optional<double> state_read_ns() const { return state_read_ns_; }  // what asking takes

  // No part of the cache is kept from the flush afterwards, where the runtime lets us say so.
  void free_cache() const;
  // The part that was, when the session began; empty: the runtime does not let us.
  std::optional<std::size_t> found_persisting_bytes() const { return found_persisting_bytes_; }

  Handle begin_event(std::size_t sample) const { return events_[2 * sample]; }
  Handle end_event(std::size_t sample) const { return events_[2 * sample + 1]; }
  // Between a sample's events, which have both happened; steps of 0.01 ns.
  DeviceResult<double> interval_ns(std::size_t sample) const;
  // Of the first `count` samples.
  DeviceResult<void> read_intervals(std::size_t count, std::vector<double>* intervals_ns) const;

  bool has_device_code() const { return module_ != nullptr; }
  int multiprocessors() const { return multiprocessors_; }
  std::size_t cache_bytes() const { return cache_bytes_; }
  unsigned flush_factor() const { return flush_factor_; }
  std::size_t flush_bytes() const { return flush_bytes_; }
  double flush_ns() const { return flush_ns_; }  // what one flush takes
  int driver_version() const { return driver_version_; }

  // On a stream, or as a node of a graph after `after`, which becomes that node.
  DeviceResult<void> flush(Handle stream) const;
  DeviceResult<void> add_flush(Handle graph, Handle* after) const;
  // Stamps `which` (0 begin, 1 end) hold the device's cycles and time; without device code:
  // nothing.
  DeviceResult<void> stamp(Handle stream, int which) const;
  DeviceResult<void> add_stamp(Handle graph, Handle* after, int which) const;
  void clear_stamps() const;
  // From the stamps of a finished burst; 0 where they are too near for a frequency, or not there.
  double clock_mhz() const;
  // Keeps the stream busy; needs device code. `blocks`: of one warp each.
  DeviceResult<void> spin(Handle stream, std::int64_t length_ns, unsigned blocks) const;
  // As a node of a graph, on one block.
  DeviceResult<void> add_spin(Handle graph, Handle* after, std::int64_t length_ns) const;
  // What the last finished spin took by the device's clock.
  double spent_in_last_spin_ns() const;
  // A kernel that does nothing; without device code: nothing. Between a flush and an event it takes
  // the flush's end out of the interval (docs/measuring.md, "states").
  DeviceResult<void> nop(Handle stream) const;
  DeviceResult<void> add_nop(Handle graph, Handle* after) const;

  // A kernel of the engine's device code, by its name there; needs device code.
  DeviceResult<Handle> kernel(char const* name) const;

  // A word that a stream can be made to wait for; null without that ability.
  std::uint32_t* flag() const { return flag_; }
  // The stream goes on once the word has reached `value`.
  DeviceResult<void> wait_for_flag(Handle stream, std::uint32_t value) const;

 private:
  struct Stamp {
    std::uint64_t cycles;
    std::uint64_t ns;
  };
  struct Launch {
    Handle function;
    unsigned blocks;
    unsigned threads;
    void** arguments;
  };
  Session(backend::DeviceRuntime runtime, HostEnvironment host)
      : runtime_(std::move(runtime)), host_(std::move(host)) {}
  DeviceResult<void> take_context(int ordinal);
  DeviceResult<void> ask_attributes();
  void ask_device_state();
  void ask_persisting_cache();
  DeviceResult<void> allocate_flush();
  DeviceResult<void> map_memory();
  DeviceResult<void> load_device_code();
  void probe_flag();
  DeviceResult<void> try_out();
  DeviceResult<void> launch(Handle stream, Launch const& launch, char const* what) const;
  DeviceResult<void> add(Handle graph, Handle* after, Launch const& launch, char const* what) const;

  backend::DeviceRuntime runtime_;
  HostEnvironment host_;
  int device_ = 0;
  bool is_retained_ = false;
  int driver_version_ = 0;
  int multiprocessors_ = 0;
  Handle context_ = nullptr;
  std::unique_ptr<backend::DeviceStateReader> device_state_;
  std::optional<double> state_read_ns_;
  std::optional<std::size_t> found_persisting_bytes_;
  std::size_t cache_bytes_ = 0;
  std::size_t flush_bytes_ = 0;
  unsigned flush_factor_ = 2;
  double flush_ns_ = 0;
  DeviceAddress flush_buffer_ = 0;
  std::vector<Handle> events_;
  void* mapped_ = nullptr;  // the flag, the time a spin took, and two rows of stamps
  DeviceAddress mapped_address_ = 0;
  std::uint32_t* flag_ = nullptr;
  Handle module_ = nullptr;
  Handle stamp_ = nullptr;
  Handle spin_ = nullptr;
  Handle flush_read_ = nullptr;
  Handle nop_ = nullptr;
};

}  // namespace zl::timing
