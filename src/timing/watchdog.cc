#include "timing/watchdog.h"

namespace zl::timing {

Watchdog::Watchdog(std::uint32_t* flag) : flag_(*flag), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard const lock(mutex_);
    is_ending_ = true;
    // Nobody will come any more.
    if (is_armed_) flag_.store(value_, std::memory_order_release);
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::arm(std::uint32_t value, std::chrono::nanoseconds timeout) {
  {
    std::lock_guard const lock(mutex_);
    value_ = value;
    deadline_ = std::chrono::steady_clock::now() + timeout;
    is_armed_ = true;
    has_fired_ = false;
  }
  changed_.notify_one();
}

bool Watchdog::release() {
  std::lock_guard const lock(mutex_);
  is_armed_ = false;
  flag_.store(value_, std::memory_order_release);
  return has_fired_;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (!is_armed_) {
      changed_.wait(lock);
      continue;
    }
    auto const deadline = deadline_;
    if (std::chrono::steady_clock::now() < deadline) {
      changed_.wait_until(lock, deadline);
      continue;
    }
    flag_.store(value_, std::memory_order_release);
    is_armed_ = false;
    has_fired_ = true;
  }
}

}  // namespace zl::timing
