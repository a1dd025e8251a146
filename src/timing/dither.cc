#include "timing/dither.h"

namespace zl::timing {

namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input moves every output.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

}  // namespace

std::uint64_t measurement_seed(std::string_view id) {
  std::uint64_t seed = kGolden;
  for (char const c : id) seed = mix(seed ^ static_cast<unsigned char>(c)) + kGolden;
  return seed;
}

double dither(std::uint64_t seed, std::uint64_t index, double tick) {
  std::uint64_t const bits = mix(seed + (index + 1) * kGolden) >> 11;
  return (static_cast<double>(bits) * 0x1p-53 - 0.5) * tick;
}

}  // namespace zl::timing
