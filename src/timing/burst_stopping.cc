#include "timing/burst_stopping.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace zl::timing {

std::string_view to_text(BurstStop reason) {
  switch (reason) {
    case BurstStop::interval:
      return "interval";
    case BurstStop::max_device:
      return "max_device_time";
    case BurstStop::max_wall:
      return "max_wall_time";
    case BurstStop::none:
      break;
  }
  return "none";
}

void BurstStopping::start(BurstStoppingParams const& params, double offset_ns) {
  *this = BurstStopping();
  params_ = params;
  offset_ns_ = offset_ns;
  next_look_ = params.min_bursts;
}

void BurstStopping::add_burst(std::vector<double> samples_ns, BurstCost cost) {
  samples_ += samples_ns.size();
  bursts_.push_back(std::move(samples_ns));
  spent_.device_ns += cost.device_ns;
  spent_.wall_ns += cost.wall_ns;
  if (!done()) look();
}

void BurstStopping::look() {
  std::size_t const count = bursts_.size();
  bool const is_device_over = spent_.device_ns >= params_.max_device_ns;
  bool const is_wall_over = spent_.wall_ns >= params_.max_wall_ns;
  if (count < next_look_ && !is_device_over && !is_wall_over) return;
  if (count >= next_look_) {
    double const grown = std::ceil(static_cast<double>(count) * params_.look_growth);
    next_look_ = std::max(count + 1, static_cast<std::size_t>(grown));
  }
  ClusterEstimate const now = estimate();
  double const net = now.value - offset_ns_;
  bool const is_long = net > params_.long_call_ns;
  bool const has_bursts = count >= (is_long ? params_.min_long_bursts : params_.min_bursts);
  bool const is_enough = has_bursts && (is_long || samples_ >= params_.min_samples);
  double const wanted = std::max(params_.half_width * net, params_.least_half_width_ns);
  bool const is_narrow = now.interval && (now.interval->high - now.interval->low) / 2 <= wanted;
  bool const is_patient =
      net > params_.patient_ns && !has_bursts && spent_.wall_ns < params_.limit_wall_ns;
  if (is_enough && is_narrow) {
    why_ = BurstStop::interval;
  } else if (is_device_over && has_bursts) {
    why_ = BurstStop::max_device;
  } else if (is_wall_over && !is_patient) {
    why_ = BurstStop::max_wall;
  }
}

}  // namespace zl::timing
