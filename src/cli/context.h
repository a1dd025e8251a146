#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/choice.h"
#include "backend/device.h"
#include "backend/registry.h"
#include "backend/visibility.h"
#include "base/environment.h"
#include "cli/options.h"
#include "provider/provider.h"

namespace zl::cli {

// What the commands that look at the machine share.
struct Context {
  Options options;
  Environment environment;
  backend::Registry registry;

  backend::ProbeOptions probe() const;
};

Result<Context> make_context(Options const& options, Environment const& environment);

// The backend, and the devices of it that the caller's masks leave, in the caller's order.
struct Target {
  backend::Descriptor const* backend = nullptr;
  std::vector<backend::Device> visible;
  std::string source;
  std::vector<std::string> notes;
};
Result<Target> find_target(Context const& context);

// --devices within the visible ones; `count` devices when nothing is asked for (0: all). A backend
// without any visible device is an environment error that says where was looked.
Result<std::vector<backend::Device>> choose_devices(Target const& target, std::string const& asked,
                                                    std::size_t count);

// "flaggems" or "native"; usage errors for other words and for a missing --corpus.
Result<std::string> choose_provider(Context const& context, backend::Descriptor const& backend);

}  // namespace zl::cli
