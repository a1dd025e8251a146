#pragma once

#include "batch/request.h"
#include "cli/context.h"

namespace zl::cli {

// From the command line to something that can be planned: shared by plan, run and batch, so that
// `plan` shows what the others do.
struct Prepared {
  batch::BatchRequest request;  // without its name
  run::PlanRequest plan;        // all but operator, device and folders of the run
  std::vector<backend::Device> devices;
  int jobs_per_device = 1;
  std::vector<std::string> notes;
};

// `default_devices`: how many devices when none are asked for (0: all).
// `devices_needed`: an absent device is an error; `plan` can do without.
Result<Prepared> prepare(Context const& context, std::size_t default_devices, bool devices_needed);

// The same for a batch that exists: everything but the devices is as it was.
Result<Prepared> prepare_resume(Context const& context, batch::BatchRequest const& request);

// Can `python` run pytest at all? Asked once a batch and not once an operator.
Result<void> check_python(Prepared const& prepared);

}  // namespace zl::cli
