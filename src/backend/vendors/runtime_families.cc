#include "backend/device_state.h"
#include "backend/vendors/vendor_runtimes.h"
#include "base/embedded.h"

namespace zl::embedded {
std::span<EmbeddedFile const> device_code();  // src/backend/vendors/*.ptx
}

namespace zl::backend {

namespace {

// cuda.h's CUresult; Moore Threads kept the numbers.
constexpr StatusRange kStatuses[] = {
    {0, 0, StatusClass::success},
    {600, 600, StatusClass::not_ready},
    {900, 908, StatusClass::capture_only},
    {1, 2, StatusClass::recoverable},      // invalid value, out of memory
    {9, 9, StatusClass::recoverable},      // launch configuration
    {98, 98, StatusClass::recoverable},    // device function
    {100, 101, StatusClass::recoverable},  // no such device
    {200, 200, StatusClass::recoverable},  // no image for this device
    {209, 209, StatusClass::recoverable},  // no binary for this device
    {218, 219, StatusClass::recoverable},  // device code that does not compile
    {221, 223, StatusClass::recoverable},  // no compiler for it; 220 is a broken link of the device
    {400, 400, StatusClass::recoverable},  // handle
    {500, 500, StatusClass::recoverable},  // symbol not found
    {701, 701, StatusClass::recoverable},  // too many resources for a launch
    {801, 801, StatusClass::recoverable},  // not supported
};

}  // namespace

std::span<RuntimeFamily const> runtime_families() {
  static std::vector<RuntimeFamily> const families = [] {
    std::vector<RuntimeFamily> all = {
        {.name = "cuda",
         .prefix = "cu",
         .statuses = kStatuses,
         .device_code = embedded::device_code().front().text,
         .open_state =
             [](char const* pci_address) {
               return open_nvml_state({"libnvidia-ml.so.1", "libnvidia-ml.so"}, pci_address);
             }},
        {.name = "musa", .prefix = "mu", .statuses = kStatuses},
    };
    for (RuntimeFamily const& family : runtime_level_families()) all.push_back(family);
    all.push_back(acl_family());
    return all;
  }();
  return families;
}

}  // namespace zl::backend
