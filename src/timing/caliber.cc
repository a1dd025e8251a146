#include "timing/caliber.h"

#include <fmt/format.h>

namespace zl::timing {

namespace {
// Goes up when the same words begin to mean another number.
constexpr int kVersion = 1;
}  // namespace

std::string to_text(Caliber const& caliber) {
  std::string cache = "warm";
  if (!caliber.is_warm) {
    cache = fmt::format("cold-{}{}x", caliber.is_clean ? "clean" : "dirty", caliber.flush_factor);
  }
  return fmt::format("{}/{}/{}/burst/v{}", caliber.timer, cache, caliber.is_net ? "net" : "raw",
                     kVersion);
}

}  // namespace zl::timing
