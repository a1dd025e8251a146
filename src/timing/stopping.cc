#include "timing/stopping.h"

#include <algorithm>
#include <cmath>

namespace zl::timing {

std::string_view to_text(StopReason reason) {
  switch (reason) {
    case StopReason::interval:
      return "interval";
    case StopReason::max_samples:
      return "max_samples";
    case StopReason::max_time:
      return "max_time";
    case StopReason::none:
      break;
  }
  return "none";
}

void MedianStopping::start(StoppingParams const& params, std::size_t calls_per_sample) {
  *this = MedianStopping();
  params_ = params;
  calls_per_sample_ = static_cast<double>(calls_per_sample);
}

void MedianStopping::add(double sample_ns) {
  samples_ns_.push_back(sample_ns);
  total_ns_ += sample_ns * calls_per_sample_;
  std::size_t const count = samples_ns_.size();
  bool const is_enough = count >= params_.min_samples && total_ns_ >= params_.min_total_ns;
  if (is_enough && (count >= next_look_ || is_exhausted())) {
    double const grown = std::ceil(static_cast<double>(count) * params_.look_growth);
    next_look_ = std::max(count + 1, static_cast<std::size_t>(grown));
    if (is_narrow()) why_ = StopReason::interval;
  }
  if (done() || !is_exhausted()) return;  // the first reason stands
  why_ = count >= params_.max_samples ? StopReason::max_samples : StopReason::max_time;
}

bool MedianStopping::is_exhausted() const {
  std::size_t const count = samples_ns_.size();
  return count >= params_.max_samples || total_ns_ >= params_.limit_ns ||
         (count >= params_.min_samples && total_ns_ >= params_.max_total_ns);
}

bool MedianStopping::is_narrow() const {
  auto const interval = interval_ns();
  if (!interval) return false;
  return (interval->high - interval->low) / 2 <= params_.half_width * median(samples_ns_);
}

}  // namespace zl::timing
