#pragma once

#include <memory>
#include <string>
#include <vector>

#include "timing/session.h"

namespace zl::bench {

using backend::DeviceAddress;
using backend::Handle;
using timing::DeviceResult;

inline constexpr std::size_t kSlots = timing::kMaxSamplesPerBurst;
inline constexpr std::size_t kSlotBytes = 8192;  // of one sample: every block has its part
inline constexpr std::size_t kStreamBytes = std::size_t{256} << 20;

// No function: an empty node in a graph, nothing on a stream; `exec`: a graph launched on a stream.
struct Kernel {
  Handle function = nullptr;
  unsigned blocks = 1;
  unsigned threads = 1;
  std::vector<std::uint64_t> arguments = {};
  Handle exec = nullptr;
};

// What one block of spin_iter or spin_timed leaves behind; the second half only from spin_timed.
struct Spun {
  std::uint64_t cycles;
  std::uint32_t multiprocessor;
  std::uint32_t rest;
  std::uint64_t entry_ns;
  std::uint64_t exit_ns;
};

struct TracePoint {
  std::uint64_t cycles;
  std::uint64_t ns;
};

// A session, a stream of its own and the device code of the probes.
class Lab {
 public:
  // On the first backend whose runtime the engine has device code for; an empty `library`: where
  // the backend's descriptor looks for it.
  static DeviceResult<std::unique_ptr<Lab>> open(std::string const& library);
  ~Lab();
  Lab(Lab const&) = delete;
  Lab& operator=(Lab const&) = delete;

  timing::Session const& session() const { return *session_; }
  backend::RuntimeApi const& api() const { return session_->api(); }
  DeviceResult<void> check(int status, char const* what) const {
    return session_->check(status, what);
  }
  Handle stream() const { return stream_; }
  Handle reference_event() const { return reference_; }
  unsigned multiprocessors() const { return static_cast<unsigned>(session_->multiprocessors()); }

  Kernel spin(std::uint64_t n, unsigned blocks, std::size_t slot) const;
  Kernel spin_timed(std::uint64_t n, unsigned blocks, std::size_t slot) const;
  Kernel spin_on(std::uint64_t n, std::size_t slot, unsigned multiprocessor) const;
  // By the device's timer; what it spent goes to memory of the host, or nowhere.
  Kernel spin_ns(std::uint64_t length_ns, bool does_store) const {
    return {spin_ns_, 1, 32, {length_ns, does_store ? host_address_ : 0}};
  }
  Kernel nop() const { return {nop_, 1, 32}; }
  Kernel landing() const { return {landing_, 1, 1, {stream_memory_}}; }
  // From the module that spin() is from, while the session's own flush is from another.
  Kernel flush_read(std::size_t bytes) const;
  Kernel read_stream(std::size_t bytes) const;
  DeviceAddress flush_memory() const { return flush_memory_; }
  std::size_t flush_memory_bytes() const { return flush_memory_bytes_; }

  DeviceResult<void> launch(Kernel const& kernel) const;
  DeviceResult<void> add(Handle graph, Handle* after, Kernel const& kernel) const;
  DeviceResult<void> synchronise() const;

  DeviceResult<std::vector<std::byte>> slots() const;
  // Of block 0 to `blocks`, from what slots() gave.
  static Spun spun(std::vector<std::byte> const& slots, std::size_t slot, unsigned block,
                   bool is_timed);

  // Queues a trace of `slices` slices; trace() gives what the last one left.
  DeviceResult<void> queue_trace(std::uint64_t slices, std::uint64_t slice_ns,
                                 unsigned blocks) const;
  DeviceResult<std::vector<double>> trace_mhz(std::uint64_t slices) const;
  // Cycles per ns over 6 ms.
  DeviceResult<double> clock_ghz() const;
  DeviceResult<std::vector<std::uint64_t>> timer_steps(std::size_t count) const;

 private:
  explicit Lab(std::unique_ptr<timing::Session> session) : session_(std::move(session)) {}
  DeviceResult<void> prepare();
  DeviceResult<void> load();
  DeviceResult<void> allocate();
  DeviceResult<void> read_back(void* to, DeviceAddress from, std::size_t bytes) const;

  std::unique_ptr<timing::Session> session_;
  Handle stream_ = nullptr;
  Handle reference_ = nullptr;
  Handle engine_code_ = nullptr;  // the engine's device code once more
  Handle probe_code_ = nullptr;
  Handle nop_ = nullptr;
  Handle spin_ = nullptr;
  Handle flush_read_ = nullptr;
  Handle spin_ns_ = nullptr;
  Handle landing_ = nullptr;
  Handle spin_timed_ = nullptr;
  Handle spin_on_ = nullptr;
  Handle clock_trace_ = nullptr;
  Handle timer_steps_ = nullptr;
  void* host_memory_ = nullptr;
  DeviceAddress host_address_ = 0;
  DeviceAddress slots_ = 0;
  DeviceAddress trace_ = 0;
  DeviceAddress stream_memory_ = 0;
  DeviceAddress flush_memory_ = 0;
  std::size_t flush_memory_bytes_ = 0;
};

}  // namespace zl::bench
