// What people do without a harness: calls each side in a loop, reads the clock around each call and
// keeps the least. naive_loop SECONDS LIBRARY... gives every side of every case that many seconds
// and prints a line "operator case side best_ns" of each.
#include <array>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include "native/library.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kSeed = 0x7a6c62656e6368;  // the inputs that the native provider makes

// Empty when it is not a number above 0.
std::optional<double> parse_seconds(char const* text) {
  char* end = nullptr;
  double const seconds = std::strtod(text, &end);
  return *end == '\0' && seconds > 0 ? std::optional(seconds) : std::nullopt;
}

double best_ns(int (*call)(void*), void* state, double seconds) {
  double best = 0;
  for (auto const end = Clock::now() + std::chrono::duration<double>(seconds);
       Clock::now() < end;) {
    auto const begin = Clock::now();
    if (call(state) != ZLBENCH_OK) return 0;
    double const ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    if (best == 0 || ns < best) best = ns;
  }
  return best;
}

void run_case(zl::native::Operator const& op, zl::native::Case const& item, double seconds) {
  std::array<char, 512> reason{};
  void* state = nullptr;
  if (op.functions.create(item.index, kSeed, &state, reason.data(), reason.size()) != ZLBENCH_OK) {
    return;
  }
  double const baseline = best_ns(op.functions.baseline, state, seconds);
  double const candidate = best_ns(op.functions.candidate, state, seconds);
  fmt::print("{0} {1} baseline {2}\n{0} {1} candidate {3}\n", op.name, item.name, baseline,
             candidate);
  op.functions.destroy(state);
}

}  // namespace

int main(int argc, char** argv) {
  auto const seconds = argc > 2 ? parse_seconds(argv[1]) : std::nullopt;
  if (!seconds) {
    fmt::print(stderr, "naive_loop: use 'naive_loop SECONDS LIBRARY...'\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    auto const library = zl::native::Library::load(argv[i]);
    if (!library) {
      fmt::print(stderr, "naive_loop: {}\n", library.error().text);
      return 4;
    }
    for (zl::native::Operator const& op : library->operators()) {
      for (zl::native::Case const& item : op.cases) run_case(op, item, *seconds);
    }
  }
}
