#include "check/classes.h"

namespace zl::check {

namespace {

constexpr Class kClasses[] = {
    {1, "no-evidence", "no or unusable evidence", false},
    {2, "device-lost", "the device is lost or broken", false},
    {3, "driver", "driver and runtime do not fit, or the device is not free", false},
    {4, "environment", "a library, a package or the process environment is wrong", false},
    {5, "identity", "another vendor, device or installation than meant", false},
    {6, "stack", "the whole stack is unusable, not this operator", false},
    {7, "usage", "the command line does not fit", true},
    {8, "selection", "nothing, or something else, was selected", true},
    {9, "collection", "a test file cannot be collected", true},
    {10, "skipped", "the corpus refused to run it", true},
    {11, "killed", "the process was ended by a signal", true},
    {12, "hang", "it did not end, or is far too slow", true},
    {13, "foreign-kernel", "a kernel of another vendor was used", true},
    {14, "input", "the inputs could not be made; neither side ran", true},
    {15, "baseline", "the baseline does not work; the candidate is not to blame", true},
    {16, "device-fault", "a kernel damaged the device context", true},
    {17, "tuning-entry", "a kernel's tuning entry is missing", true},
    {18, "on-chip", "more on-chip memory or a larger launch than the device has", true},
    {19, "unsupported", "this dtype or shape is not supported", true},
    {20, "compiler", "the kernel compiler failed", true},
    {21, "cache", "a tuning database or compile cache is unusable", true},
    {22, "capture", "the call cannot be captured into a graph", true},
    {23, "memory", "the device's memory does not suffice", true},
    {24, "missing-op", "the corpus has no such operator here, or it refuses the device", true},
    {25, "meaningless", "it ended and its numbers mean nothing", true},
    {26, "wrong-result", "the result is wrong, or the number is bad without an error", true},
    {27, "unknown", "unknown", true},
};

}  // namespace

std::span<Class const> classes() {
  return kClasses;
}

Class const* find_class(std::string_view word) {
  for (Class const& one : kClasses) {
    if (one.word == word) return &one;
  }
  return nullptr;
}

}  // namespace zl::check
