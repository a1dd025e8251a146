#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace zl::timing {

// Lets a held stream go when whoever was to do so does not come in time: a thread of its own that
// makes no call of the device's runtime, only writes the word that the stream waits for.
class Watchdog {
 public:
  explicit Watchdog(std::uint32_t* flag);
  ~Watchdog();
  Watchdog(Watchdog const&) = delete;
  Watchdog& operator=(Watchdog const&) = delete;

  // Writes `value` into the flag after `timeout` unless disarmed before.
  void arm(std::uint32_t value, std::chrono::nanoseconds timeout);
  // Writes the value that arm() was given; true when the watchdog had done so already.
  bool release();

 private:
  void watch();
  std::atomic_ref<std::uint32_t> flag_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint32_t value_ = 0;
  bool is_armed_ = false;
  bool has_fired_ = false;
  bool is_ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace zl::timing
