#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timing/host_source.h"
#include "timing/work.h"

namespace zl::timing {

// Bursts of a host are not rationed, so that time alone is the cap: a corpus of a hundred cases is
// to be over within a minute or two even where no interval becomes narrow.
MeasureParams host_measure_params();
std::string host_caliber();

// Measures calls that do their work on the CPU; needs no device and no library.
class HostEngine {
 public:
  HostEngine(HostEnvironment host, HostWatch watch, HostParams params = {});
  HostEngine(HostEngine const&) = delete;
  HostEngine& operator=(HostEngine const&) = delete;

  double tick_ns() const { return tick_ns_; }
  HostNull const& null() const { return null_; }
  // All works within the same visits, always warm; `request.is_cold` asks for nothing. A timing has
  // the flag "preempted_often" where bursts that lost the CPU had to be kept. Reasons of failure
  // beside those of Engine: "stopped".
  DeviceResult<DeviceTimings> measure(std::vector<Work> const& works,
                                      MeasureRequest const& request);
  // Whose call ended the last measurement, where one did.
  std::optional<std::size_t> failed_work() const { return failed_work_; }

 private:
  HostEnvironment host_;
  HostWatch watch_;
  HostParams params_;
  double tick_ns_ = 0;
  HostNull null_;
  std::optional<std::size_t> failed_work_;
};

}  // namespace zl::timing
