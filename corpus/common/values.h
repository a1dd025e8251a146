// corpus/: the operators that come with zlbench. They use include/zlbench/operator.h and nothing
// else of zlbench, so that they show what a plug-in outside the tree can do.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>
#include <zlbench/operator.h>

namespace corpus {

struct Bf16 {
  std::uint16_t bits = 0;
};

inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// To the nearest, ties to even. The corpus makes no NaN.
inline Bf16 to_bf16(float value) {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  return Bf16{static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

// Facts of a type: its code in the ABI, the type that plain loops sum it in, and the largest
// relative error of one rounding (0 for whole numbers, which are exact here).
template <class T>
struct Facts;
template <>
struct Facts<double> {
  static constexpr std::uint32_t kCode = ZLBENCH_F64;
  static constexpr char kName[] = "f64";
  static constexpr double kRoundoff = 0x1p-53;
  using Sum = double;
};
template <>
struct Facts<float> {
  static constexpr std::uint32_t kCode = ZLBENCH_F32;
  static constexpr char kName[] = "f32";
  static constexpr double kRoundoff = 0x1p-24;
  using Sum = float;
};
template <>
struct Facts<Bf16> {
  static constexpr std::uint32_t kCode = ZLBENCH_BF16;
  static constexpr char kName[] = "bf16";
  static constexpr double kRoundoff = 0x1p-8;
  using Sum = float;
};
template <>
struct Facts<std::int8_t> {
  static constexpr std::uint32_t kCode = ZLBENCH_S8;
  static constexpr char kName[] = "s8";
  static constexpr double kRoundoff = 0;
  using Sum = std::int32_t;
};
template <>
struct Facts<std::int32_t> {
  static constexpr std::uint32_t kCode = ZLBENCH_S32;
  static constexpr char kName[] = "s32";
  static constexpr double kRoundoff = 0;
  using Sum = std::int32_t;
};

template <class T>
using SumOf = typename Facts<T>::Sum;

// convert<To>(value): between any two of the types above.
template <class To, class From>
inline To convert(From value) {
  if constexpr (std::is_same_v<From, Bf16>) {
    return static_cast<To>(to_float(value));
  } else {
    return static_cast<To>(value);
  }
}
template <>
inline Bf16 convert<Bf16, float>(float value) {
  return to_bf16(value);
}
template <>
inline Bf16 convert<Bf16, double>(double value) {
  return to_bf16(static_cast<float>(value));
}
template <>
inline Bf16 convert<Bf16, Bf16>(Bf16 value) {
  return value;
}

// On cache lines of its own: otherwise where the heap happens to put a buffer decides how many
// lines a vector load touches, and a number differs from run to run.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(LineAllocator<U> const&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, kAlignment); }
  bool operator==(LineAllocator const&) const { return true; }
};

template <class T>
using Buffer = std::vector<T, LineAllocator<T>>;

// SplitMix64 (Steele, Lea and Flood, 2014): small, and good enough to have no pattern.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [-1, 1).
  double symmetric() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

 private:
  std::uint64_t state_;
};

// Values in [-1, 1), or whole numbers in [-63, 63]: sums of two then fit, and so do the 16-bit
// pairs in which 8-bit products are added on CPUs without an instruction for the whole.
template <class T>
Buffer<T> random_values(std::size_t count, Random& random) {
  Buffer<T> values(count);
  for (T& value : values) {
    double const drawn = random.symmetric();
    value = convert<T>(std::is_integral_v<T> ? std::round(drawn * 63) : drawn);
  }
  return values;
}

}  // namespace corpus
