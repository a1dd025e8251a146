#include "lab.h"

#include <algorithm>
#include <cstring>

#include "backend/registry.h"
#include "base/embedded.h"

namespace zl::embedded {
std::span<EmbeddedFile const> probe_code();  // bench/probes.ptx
}

namespace zl::bench {

namespace {
constexpr unsigned kNonBlocking = 1;
constexpr unsigned kPortableMapped = 1 | 2;
constexpr std::size_t kTraceBytes = 16384;

Result<backend::DeviceRuntime> open_runtime(std::string const& library) {
  auto const registry = backend::Registry::load({});
  if (!registry) return tl::unexpected<Error>(registry.error());
  for (backend::Descriptor const& descriptor : registry->all()) {
    for (backend::RuntimeFamily const& family : backend::runtime_families()) {
      if (family.name != descriptor.runtime.family || family.device_code.empty()) continue;
      auto libraries = descriptor.runtime.libraries;
      if (!library.empty()) libraries = {library};
      return backend::open_runtime(family.name, libraries, current_environment());
    }
  }
  return fail(ErrorKind::environment, "no backend has device code");
}

}  // namespace

DeviceResult<std::unique_ptr<Lab>> Lab::open(std::string const& library) {
  auto runtime = open_runtime(library);
  if (!runtime) return timing::device_fail("runtime", runtime.error().text);
  auto session = timing::Session::open(std::move(*runtime), timing::real_host(), 0);
  if (!session) return tl::unexpected<timing::DeviceError>(session.error());
  std::unique_ptr<Lab> lab(new Lab(std::move(*session)));
  ZL_TRY_DEVICE(lab->prepare());
  return lab;
}

Lab::~Lab() {
  for (DeviceAddress const memory : {slots_, trace_, stream_memory_, flush_memory_}) {
    if (memory != 0) api().memory_free(memory);
  }
  if (host_memory_ != nullptr) api().host_free(host_memory_);
  if (engine_code_ != nullptr) api().module_unload(engine_code_);
  if (probe_code_ != nullptr) api().module_unload(probe_code_);
  if (reference_ != nullptr) api().event_destroy(reference_);
  if (stream_ != nullptr) api().stream_destroy(stream_);
}

DeviceResult<void> Lab::prepare() {
  bool const is_complete = session_->has_device_code() && session_->flag() != nullptr &&
                           api().stream_create != nullptr && api().stream_destroy != nullptr &&
                           api().copy_to_host != nullptr &&
                           session_->runtime().features().graph_event_nodes;
  if (!is_complete) return timing::device_fail("runtime", "the runtime lacks what the probes need");
  ZL_TRY_DEVICE(check(api().stream_create(&stream_, kNonBlocking), "creating a stream"));
  ZL_TRY_DEVICE(check(api().event_create(&reference_, 0), "creating an event"));
  ZL_TRY_DEVICE(load());
  ZL_TRY_DEVICE(allocate());
  // Every kernel once: a runtime may load it at its first launch only.
  std::size_t const least = 4096;
  for (Kernel const& kernel :
       {nop(), landing(), spin(16, 1, 0), spin(16, multiprocessors(), 0), spin_timed(16, 1, 0),
        spin_on(16, 0, 0), spin_ns(1000, true), flush_read(least), read_stream(least)}) {
    ZL_TRY_DEVICE(launch(kernel));
  }
  ZL_TRY_DEVICE(queue_trace(2, 1000, 1));
  return synchronise();
}

DeviceResult<void> Lab::load() {
  char const* const engine = session_->runtime().family->device_code.data();
  char const* const probes = embedded::probe_code().front().text.data();
  ZL_TRY_DEVICE(check(api().module_load(&engine_code_, engine), "loading the engine's code"));
  ZL_TRY_DEVICE(check(api().module_load(&probe_code_, probes), "loading the probes' code"));
  struct {
    Handle* function;
    Handle module;
    char const* name;
  } const functions[] = {{&nop_, engine_code_, "nop"},
                         {&spin_, engine_code_, "spin_iter"},
                         {&flush_read_, engine_code_, "flush_read"},
                         {&spin_ns_, engine_code_, "spin_ns"},
                         {&landing_, probe_code_, "landing"},
                         {&spin_timed_, probe_code_, "spin_timed"},
                         {&spin_on_, probe_code_, "spin_on"},
                         {&clock_trace_, probe_code_, "clock_trace"},
                         {&timer_steps_, probe_code_, "timer_steps"}};
  for (auto const& [function, module, name] : functions) {
    ZL_TRY_DEVICE(check(api().module_function(function, module, name), name));
  }
  return {};
}

DeviceResult<void> Lab::allocate() {
  flush_memory_bytes_ = std::max<std::size_t>(4 * session_->cache_bytes(), std::size_t{64} << 20);
  struct {
    DeviceAddress* address;
    std::size_t bytes;
  } const blocks[] = {{&slots_, kSlots * kSlotBytes},
                      {&trace_, kTraceBytes},
                      {&stream_memory_, kStreamBytes},
                      {&flush_memory_, flush_memory_bytes_}};
  for (auto const& [address, bytes] : blocks) {
    ZL_TRY_DEVICE(check(api().memory_alloc(address, bytes), "allocating memory"));
    ZL_TRY_DEVICE(check(api().memset_async(*address, 0, bytes / 4, stream_), "clearing memory"));
  }
  ZL_TRY_DEVICE(check(api().host_alloc(&host_memory_, 4096, kPortableMapped), "mapping memory"));
  ZL_TRY_DEVICE(check(api().host_device_address(&host_address_, host_memory_, 0),
                      "asking for the device's address of mapped memory"));
  return synchronise();
}

Kernel Lab::spin(std::uint64_t n, unsigned blocks, std::size_t slot) const {
  return {spin_, blocks, 1, {n, slots_ + slot * kSlotBytes}};
}

Kernel Lab::spin_timed(std::uint64_t n, unsigned blocks, std::size_t slot) const {
  return {spin_timed_, blocks, 1, {n, slots_ + slot * kSlotBytes}};
}

Kernel Lab::spin_on(std::uint64_t n, std::size_t slot, unsigned multiprocessor) const {
  return {spin_on_, multiprocessors(), 1, {n, slots_ + slot * kSlotBytes, multiprocessor}};
}

Kernel Lab::flush_read(std::size_t bytes) const {
  return {flush_read_, 8 * multiprocessors(), 256, {flush_memory_, bytes / 16}};
}

Kernel Lab::read_stream(std::size_t bytes) const {
  return {flush_read_, 8 * multiprocessors(), 256, {stream_memory_, bytes / 16}};
}

// The runtime copies the arguments before it returns.
DeviceResult<void> Lab::launch(Kernel const& kernel) const {
  if (kernel.exec != nullptr) {
    return check(api().graph_launch(kernel.exec, stream_), "launching a graph");
  }
  if (kernel.function == nullptr) return {};
  std::vector<std::uint64_t> values = kernel.arguments;
  std::vector<void*> pointers;
  for (std::uint64_t& value : values) pointers.push_back(&value);
  return check(api().launch(kernel.function, kernel.blocks, 1, 1, kernel.threads, 1, 1, 0, stream_,
                            pointers.empty() ? nullptr : pointers.data(), nullptr),
               "launching a probe");
}

DeviceResult<void> Lab::add(Handle graph, Handle* after, Kernel const& kernel) const {
  Handle added = nullptr;
  std::size_t const edges = *after == nullptr ? 0 : 1;
  if (kernel.function == nullptr) {
    ZL_TRY_DEVICE(
        check(api().graph_add_empty(&added, graph, after, edges), "adding an empty node"));
    *after = added;
    return {};
  }
  std::vector<std::uint64_t> values = kernel.arguments;
  std::vector<void*> pointers;
  for (std::uint64_t& value : values) pointers.push_back(&value);
  backend::KernelNode const node{kernel.function,
                                 {kernel.blocks, 1, 1},
                                 {kernel.threads, 1, 1},
                                 0,
                                 pointers.empty() ? nullptr : pointers.data(),
                                 nullptr,
                                 nullptr,
                                 nullptr};
  ZL_TRY_DEVICE(
      check(api().graph_add_kernel(&added, graph, after, edges, &node), "adding a kernel"));
  *after = added;
  return {};
}

DeviceResult<void> Lab::synchronise() const {
  return check(api().stream_synchronize(stream_), "the probe's work");
}

DeviceResult<void> Lab::read_back(void* to, DeviceAddress from, std::size_t bytes) const {
  ZL_TRY_DEVICE(check(api().copy_to_host(to, from, bytes, stream_), "copying to the host"));
  return synchronise();
}

DeviceResult<std::vector<std::byte>> Lab::slots() const {
  std::vector<std::byte> bytes(kSlots * kSlotBytes);
  ZL_TRY_DEVICE(read_back(bytes.data(), slots_, bytes.size()));
  return bytes;
}

Spun Lab::spun(std::vector<std::byte> const& slots, std::size_t slot, unsigned block,
               bool is_timed) {
  std::size_t const width = is_timed ? 32 : 16;
  Spun result{};
  std::memcpy(&result, slots.data() + slot * kSlotBytes + block * width, width);
  return result;
}

DeviceResult<void> Lab::queue_trace(std::uint64_t slices, std::uint64_t slice_ns,
                                    unsigned blocks) const {
  return launch({clock_trace_, blocks, 1, {trace_, slices, slice_ns}});
}

DeviceResult<std::vector<double>> Lab::trace_mhz(std::uint64_t slices) const {
  std::vector<TracePoint> points(slices + 1);
  ZL_TRY_DEVICE(read_back(points.data(), trace_, points.size() * sizeof(TracePoint)));
  std::vector<double> clocks;
  for (std::size_t i = 1; i < points.size(); ++i) {
    auto const cycles = static_cast<double>(points[i].cycles - points[i - 1].cycles);
    clocks.push_back(1e3 * cycles / static_cast<double>(points[i].ns - points[i - 1].ns));
  }
  return clocks;
}

DeviceResult<double> Lab::clock_ghz() const {
  ZL_TRY_DEVICE(queue_trace(1, 6'000'000, 1));
  auto const clocks = trace_mhz(1);
  if (!clocks) return tl::unexpected<timing::DeviceError>(clocks.error());
  return clocks->front() / 1e3;
}

DeviceResult<std::vector<std::uint64_t>> Lab::timer_steps(std::size_t count) const {
  ZL_TRY_DEVICE(launch({timer_steps_, 1, 1, {trace_, count}}));
  std::vector<std::uint64_t> times(count);
  ZL_TRY_DEVICE(read_back(times.data(), trace_, count * 8));
  return times;
}

}  // namespace zl::bench
