#include "timing/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <thread>

#include "base/statistics.h"

namespace zl::timing {

namespace {

constexpr unsigned kPortableMapped = 1 | 2;
constexpr unsigned kGreaterOrEqual = 0;

// Some devices say nothing about their cache, and a smaller flush than this saves no time.
constexpr std::size_t kLeastFlushBytes = std::size_t{64} << 20;

// The mapped page: the flag and the spin's time each have a cache line of their own.
constexpr std::size_t kSpentOffset = 128;
constexpr std::size_t kStampOffset = 256;
constexpr std::size_t kStampSlots = 512;  // multiprocessors beyond it are not stamped
constexpr std::size_t kStampBytes = 16;

// Below 1 ms the tick of the device's clock is too large a part for a frequency.
constexpr std::uint64_t kLeastClockWindow_ns = 1'000'000;

}  // namespace

HostEnvironment real_host() {
  auto const now = [] {
    auto const since = std::chrono::steady_clock::now().time_since_epoch();
    return std::int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
  };
  auto const sleep = [](std::int64_t ns) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  };
  return {now, sleep, [] { return std::uint64_t{0}; }, backend::open_device_state};
}

DeviceResult<std::unique_ptr<Session>> Session::open(backend::DeviceRuntime runtime,
                                                     HostEnvironment host, int device) {
  std::unique_ptr<Session> session(new Session(std::move(runtime), std::move(host)));
  ZL_TRY_DEVICE(session->take_context(device));
  ZL_TRY_DEVICE(session->ask_attributes());
  session->ask_device_state();
  session->ask_persisting_cache();
  ZL_TRY_DEVICE(session->allocate_flush());
  ZL_TRY_DEVICE(session->map_memory());
  ZL_TRY_DEVICE(session->load_device_code());
  for (std::size_t i = 0; i < 2 * kMaxSamplesPerBurst; ++i) {
    Handle event = nullptr;
    ZL_TRY_DEVICE(session->check(session->api().event_create(&event, 0), "creating an event"));
    session->events_.push_back(event);
  }
  session->probe_flag();
  ZL_TRY_DEVICE(session->try_out());
  return session;
}

// Every kernel once before it counts: a runtime may load it at its first launch only.
DeviceResult<void> Session::try_out() {
  ZL_TRY_DEVICE(flush(nullptr));
  ZL_TRY_DEVICE(stamp(nullptr, 0));
  if (has_device_code()) ZL_TRY_DEVICE(spin(nullptr, 1000, 1));
  ZL_TRY_DEVICE(check(api().event_record(begin_event(0), nullptr), "recording an event"));
  ZL_TRY_DEVICE(flush(nullptr));
  ZL_TRY_DEVICE(check(api().event_record(end_event(0), nullptr), "recording an event"));
  ZL_TRY_DEVICE(check(api().context_synchronize(), "the engine's first kernels"));
  auto const taken_ns = interval_ns(0);
  if (!taken_ns) return tl::unexpected<DeviceError>(taken_ns.error());
  flush_ns_ = *taken_ns;
  return {};
}

Session::~Session() {
  backend::RuntimeApi const& api = runtime_.api;
  for (Handle const event : events_) api.event_destroy(event);
  if (module_ != nullptr) api.module_unload(module_);
  if (mapped_ != nullptr) api.host_free(mapped_);
  if (flush_buffer_ != 0) api.memory_free(flush_buffer_);
  if (is_retained_ && api.primary_release != nullptr) api.primary_release(device_);
}

DeviceResult<void> Session::take_context(int ordinal) {
  ZL_TRY_DEVICE(check(api().init(0), "starting the runtime"));
  ZL_TRY_DEVICE(check(api().device_get(&device_, ordinal),
                      fmt::format("finding device {}", ordinal).c_str()));
  if (api().driver_version != nullptr) api().driver_version(&driver_version_);
  ZL_TRY_DEVICE(check(api().primary_retain(&context_, device_), "taking the device's context"));
  is_retained_ = true;
  return enter();
}

DeviceResult<void> Session::ask_attributes() {
  backend::RuntimeFamily const& family = *runtime_.family;
  cache_bytes_ = family.assumed_cache_bytes;
  if (api().device_attribute == nullptr) return {};
  ZL_TRY_DEVICE(
      check(api().device_attribute(&multiprocessors_, family.multiprocessors_attribute, device_),
            "asking for the number of multiprocessors"));
  int cache = 0;
  if (api().device_attribute(&cache, family.cache_attribute, device_) == 0 && cache > 0) {
    cache_bytes_ = static_cast<std::size_t>(cache);
  }
  return {};
}

// The first question of all may take longer.
void Session::ask_device_state() {
  if (!host_.open_device_state) return;
  device_state_ = host_.open_device_state(runtime_, device_);
  if (device_state_ == nullptr) return;
  device_state_->state();
  std::int64_t const begin_ns = host_.now_ns();
  device_state_->state();
  state_read_ns_ = static_cast<double>(host_.now_ns() - begin_ns);
}

// A device without such a part refuses, and there is nothing to be freed then.
void Session::ask_persisting_cache() {
  int const limit = runtime_.family->persisting_cache_limit;
  std::size_t bytes = 0;
  if (api().context_limit == nullptr || api().context_set_limit == nullptr) return;
  if (api().context_limit(&bytes, limit) != 0 || api().context_set_limit(limit, 0) != 0) return;
  found_persisting_bytes_ = bytes;
}

void Session::free_cache() const {
  if (!found_persisting_bytes_) return;
  api().context_set_limit(runtime_.family->persisting_cache_limit, 0);
  if (api().reset_persisting_cache != nullptr) api().reset_persisting_cache();
}

DeviceResult<void> Session::enter() const {
  Handle current = nullptr;
  ZL_TRY_DEVICE(check(api().context_current(&current), "asking for the current context"));
  if (current != nullptr) return {};
  return check(api().context_set(context_), "making the device's context current");
}

// Twice the cache; once where memory is short, which the caliber then says.
DeviceResult<void> Session::allocate_flush() {
  for (flush_factor_ = 2;; --flush_factor_) {
    flush_bytes_ = std::max(flush_factor_ * cache_bytes_, kLeastFlushBytes) & ~std::size_t{15};
    int const status = api().memory_alloc(&flush_buffer_, flush_bytes_);
    if (status == 0) break;
    flush_buffer_ = 0;
    if (flush_factor_ > 1) continue;
    auto const what = fmt::format("allocating {} MiB on the device for the flush of its cache",
                                  flush_bytes_ >> 20);
    return check(status, what.c_str());
  }
  ZL_TRY_DEVICE(check(api().memset_async(flush_buffer_, 0, flush_bytes_ / 4, nullptr),
                      "clearing the flush buffer"));
  return check(api().context_synchronize(), "clearing the flush buffer");
}

DeviceResult<void> Session::map_memory() {
  auto const features = runtime_.features();
  if (!features.stream_wait_value && !features.device_code) return {};
  std::size_t const bytes = kStampOffset + 2 * kStampSlots * kStampBytes;
  ZL_TRY_DEVICE(
      check(api().host_alloc(&mapped_, bytes, kPortableMapped), "mapping memory of the host"));
  std::memset(mapped_, 0, bytes);
  return check(api().host_device_address(&mapped_address_, mapped_, 0),
               "asking for the device's address of mapped memory");
}

DeviceResult<void> Session::load_device_code() {
  if (!runtime_.features().device_code) return {};
  char const* const image = runtime_.family->device_code.data();
  ZL_TRY_DEVICE(check(api().module_load(&module_, image), "loading the engine's device code"));
  struct {
    Handle* function;
    char const* name;
  } const functions[] = {
      {&stamp_, "stamp"}, {&spin_, "spin_ns"}, {&flush_read_, "flush_read"}, {&nop_, "nop"}};
  for (auto const& [function, name] : functions) {
    auto const found = kernel(name);
    if (!found) return tl::unexpected<DeviceError>(found.error());
    *function = *found;
  }
  return {};
}

DeviceResult<Handle> Session::kernel(char const* name) const {
  Handle function = nullptr;
  ZL_TRY_DEVICE(check(api().module_function(&function, module_, name),
                      fmt::format("finding '{}' in the engine's device code", name).c_str()));
  return function;
}

// The symbol may be there and the device refuse it: then there is no flag, and no error either.
void Session::probe_flag() {
  if (!runtime_.features().stream_wait_value) return;
  flag_ = static_cast<std::uint32_t*>(mapped_);
  if (!wait_for_flag(nullptr, 0) || api().context_synchronize() != 0) flag_ = nullptr;
}

DeviceResult<void> Session::wait_for_flag(Handle stream, std::uint32_t value) const {
  return check(api().stream_wait_value(stream, mapped_address_, value, kGreaterOrEqual),
               "making a stream wait");
}

DeviceResult<double> Session::interval_ns(std::size_t sample) const {
  float ms = 0;
  ZL_TRY_DEVICE(check(api().event_elapsed(&ms, begin_event(sample), end_event(sample)),
                      "reading the time between two events"));
  return std::round(static_cast<double>(ms) * 1e8) / 100;
}

DeviceResult<void> Session::read_intervals(std::size_t count,
                                           std::vector<double>* intervals_ns) const {
  for (std::size_t i = 0; i < count; ++i) {
    auto const interval = interval_ns(i);
    if (!interval) return tl::unexpected<DeviceError>(interval.error());
    intervals_ns->push_back(*interval);
  }
  return {};
}

DeviceResult<void> Session::launch(Handle stream, Launch const& launch, char const* what) const {
  return check(api().launch(launch.function, launch.blocks, 1, 1, launch.threads, 1, 1, 0, stream,
                            launch.arguments, nullptr),
               what);
}

DeviceResult<void> Session::add(Handle graph, Handle* after, Launch const& launch,
                                char const* what) const {
  backend::KernelNode const node{launch.function,
                                 {launch.blocks, 1, 1},
                                 {launch.threads, 1, 1},
                                 0,
                                 launch.arguments,
                                 nullptr,
                                 nullptr,
                                 nullptr};
  Handle added = nullptr;
  ZL_TRY_DEVICE(
      check(api().graph_add_kernel(&added, graph, after, *after == nullptr ? 0 : 1, &node), what));
  *after = added;
  return {};
}

DeviceResult<void> Session::flush(Handle stream) const {
  if (!has_device_code()) {
    return check(api().memset_async(flush_buffer_, 0, flush_bytes_ / 4, stream),
                 "flushing the cache");
  }
  DeviceAddress buffer = flush_buffer_;
  std::uint64_t count = flush_bytes_ / 16;
  void* arguments[] = {&buffer, &count};
  return launch(stream, {flush_read_, static_cast<unsigned>(8 * multiprocessors_), 256, arguments},
                "flushing the cache");
}

DeviceResult<void> Session::add_flush(Handle graph, Handle* after) const {
  char const* const what = "adding the flush to a graph";
  if (has_device_code()) {
    DeviceAddress buffer = flush_buffer_;
    std::uint64_t count = flush_bytes_ / 16;
    void* arguments[] = {&buffer, &count};
    return add(graph, after,
               {flush_read_, static_cast<unsigned>(8 * multiprocessors_), 256, arguments}, what);
  }
  backend::MemsetNode const node{flush_buffer_, 0, 0, 4, flush_bytes_ / 4, 1};
  Handle added = nullptr;
  ZL_TRY_DEVICE(check(
      api().graph_add_memset(&added, graph, after, *after == nullptr ? 0 : 1, &node, context_),
      what));
  *after = added;
  return {};
}

DeviceResult<void> Session::stamp(Handle stream, int which) const {
  if (!has_device_code()) return {};
  DeviceAddress slots =
      mapped_address_ + kStampOffset + static_cast<std::size_t>(which) * kStampSlots * kStampBytes;
  std::uint32_t count = kStampSlots;
  void* arguments[] = {&slots, &count};
  return launch(stream, {stamp_, static_cast<unsigned>(multiprocessors_), 1, arguments},
                "stamping the device's clock");
}

DeviceResult<void> Session::add_stamp(Handle graph, Handle* after, int which) const {
  if (!has_device_code()) return {};
  DeviceAddress slots =
      mapped_address_ + kStampOffset + static_cast<std::size_t>(which) * kStampSlots * kStampBytes;
  std::uint32_t count = kStampSlots;
  void* arguments[] = {&slots, &count};
  return add(graph, after, {stamp_, static_cast<unsigned>(multiprocessors_), 1, arguments},
             "adding a clock stamp to a graph");
}

void Session::clear_stamps() const {
  if (!has_device_code()) return;
  std::memset(static_cast<char*>(mapped_) + kStampOffset, 0, 2 * kStampSlots * kStampBytes);
}

double Session::clock_mhz() const {
  if (!has_device_code()) return 0;
  static_assert(sizeof(Stamp) == kStampBytes);
  std::vector<Stamp> stamps(2 * kStampSlots);
  std::memcpy(stamps.data(), static_cast<char*>(mapped_) + kStampOffset,
              stamps.size() * sizeof(Stamp));
  std::vector<double> clocks;
  // Cycles count on each multiprocessor by itself: only its own two stamps go together.
  for (std::size_t i = 0; i < kStampSlots; ++i) {
    Stamp const& begin = stamps[i];
    Stamp const& end = stamps[kStampSlots + i];
    if (begin.ns == 0 || end.ns < begin.ns + kLeastClockWindow_ns) continue;
    clocks.push_back(1e3 * static_cast<double>(end.cycles - begin.cycles) /
                     static_cast<double>(end.ns - begin.ns));
  }
  return clocks.empty() ? 0 : median(clocks);
}

DeviceResult<void> Session::spin(Handle stream, std::int64_t length_ns, unsigned blocks) const {
  std::int64_t length = length_ns;
  DeviceAddress spent = mapped_address_ + kSpentOffset;
  void* arguments[] = {&length, &spent};
  return launch(stream, {spin_, blocks, 32, arguments}, "spinning");
}

DeviceResult<void> Session::add_spin(Handle graph, Handle* after, std::int64_t length_ns) const {
  std::int64_t length = length_ns;
  DeviceAddress spent = mapped_address_ + kSpentOffset;
  void* arguments[] = {&length, &spent};
  return add(graph, after, {spin_, 1, 32, arguments}, "adding a spin to a graph");
}

DeviceResult<void> Session::nop(Handle stream) const {
  if (!has_device_code()) return {};
  return launch(stream, {nop_, 1, 32, nullptr}, "launching an empty kernel");
}

DeviceResult<void> Session::add_nop(Handle graph, Handle* after) const {
  if (!has_device_code()) return {};
  return add(graph, after, {nop_, 1, 32, nullptr}, "adding an empty kernel to a graph");
}

double Session::spent_in_last_spin_ns() const {
  std::uint64_t spent = 0;
  std::memcpy(&spent, static_cast<char*>(mapped_) + kSpentOffset, sizeof(spent));
  return static_cast<double>(spent);
}

}  // namespace zl::timing
