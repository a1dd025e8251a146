#include "timing/spin_chain.h"

#include <algorithm>

namespace zl::timing {

namespace {

constexpr std::uint64_t kFewSteps = 1000;
constexpr std::uint64_t kManySteps = 101'000;
constexpr std::size_t kSlotBytes = 16;

// Long against the tick of the device's own clock, whose share is then below 0.02 %.
constexpr std::int64_t kClockWindow_ns = 6'000'000;

}  // namespace

SpinChain::~SpinChain() {
  if (slot_ != 0) session_.api().memory_free(slot_);
}

bool SpinChain::is_possible(Session const& session) {
  return session.has_device_code() && session.api().copy_to_host != nullptr;
}

DeviceResult<void> SpinChain::prepare(Handle stream) {
  auto const kernel = session_.kernel("spin_iter");
  if (!kernel) return tl::unexpected<DeviceError>(kernel.error());
  kernel_ = *kernel;
  ZL_TRY_DEVICE(session_.check(session_.api().memory_alloc(&slot_, kSlotBytes),
                               "allocating the spin's count"));
  double counts[2] = {};
  for (int i = 0; i < 2; ++i) {
    ZL_TRY_DEVICE(launch(stream, i == 0 ? kFewSteps : kManySteps));
    auto const counted = cycles(stream);
    if (!counted) return tl::unexpected<DeviceError>(counted.error());
    counts[i] = *counted;
  }
  cycles_per_step_ = (counts[1] - counts[0]) / static_cast<double>(kManySteps - kFewSteps);
  if (cycles_per_step_ > 0) return {};
  return device_fail("unstable", "the spin's cycles do not grow with its steps");
}

std::uint64_t SpinChain::steps_for(double length_ns, double clock_mhz) const {
  double const steps = length_ns * clock_mhz / 1e3 / cycles_per_step_;
  return static_cast<std::uint64_t>(std::max(steps, 1.0));
}

DeviceResult<void> SpinChain::launch(Handle stream, std::uint64_t steps) const {
  DeviceAddress slot = slot_;
  void* arguments[] = {&steps, &slot};
  return session_.check(
      session_.api().launch(kernel_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr),
      "launching a spin");
}

DeviceResult<void> SpinChain::add(Handle graph, std::uint64_t steps) const {
  DeviceAddress slot = slot_;
  void* arguments[] = {&steps, &slot};
  backend::KernelNode const node{kernel_,   {1, 1, 1}, {1, 1, 1}, 0,
                                 arguments, nullptr,   nullptr,   nullptr};
  Handle added = nullptr;
  return session_.check(session_.api().graph_add_kernel(&added, graph, nullptr, 0, &node),
                        "adding a spin to a graph");
}

DeviceResult<double> SpinChain::cycles(Handle stream) const {
  std::uint64_t counted[kSlotBytes / 8] = {};
  auto const& api = session_.api();
  ZL_TRY_DEVICE(session_.check(api.copy_to_host(counted, slot_, kSlotBytes, stream),
                               "reading the spin's count"));
  ZL_TRY_DEVICE(session_.check(api.stream_synchronize(stream), "the spin"));
  return static_cast<double>(counted[0]);
}

DeviceResult<double> measure_clock_mhz(Session const& session, Handle stream) {
  session.clear_stamps();
  ZL_TRY_DEVICE(session.stamp(stream, 0));
  ZL_TRY_DEVICE(
      session.spin(stream, kClockWindow_ns, static_cast<unsigned>(session.multiprocessors())));
  ZL_TRY_DEVICE(session.stamp(stream, 1));
  ZL_TRY_DEVICE(
      session.check(session.api().stream_synchronize(stream), "measuring the device's clock"));
  double const mhz = session.clock_mhz();
  if (mhz > 0) return mhz;
  return device_fail("unstable", "the device's clock cannot be read");
}

}  // namespace zl::timing
