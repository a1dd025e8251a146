#pragma once

#include <cstddef>
#include <type_traits>

namespace zl::backend {

template <class T, class = void>
inline constexpr std::size_t kSizeOf = 0;  // not known: void, opaque, a function
template <class T>
inline constexpr std::size_t
    kSizeOf<T, std::void_t<std::enable_if_t<!std::is_void_v<T> && !std::is_function_v<T>>,
                           decltype(sizeof(T))>> = sizeof(T);

// Whether a call that passes an `Ours` passes what the header's `Theirs` says: integers,
// enumerations and pointers as large as each other, floating numbers the same, and what a pointer
// points to alike as well where both tell its size.
template <class Ours, class Theirs>
constexpr bool is_like() {
  using Mine = std::remove_cv_t<Ours>;
  using Other = std::remove_cv_t<Theirs>;
  if constexpr (std::is_pointer_v<Mine> != std::is_pointer_v<Other> ||
                std::is_floating_point_v<Mine> != std::is_floating_point_v<Other>) {
    return false;
  } else if constexpr (std::is_pointer_v<Mine>) {
    using MineBehind = std::remove_pointer_t<Mine>;
    using OtherBehind = std::remove_pointer_t<Other>;
    if constexpr (kSizeOf<MineBehind> == 0 || kSizeOf<OtherBehind> == 0) {
      return true;
    } else {
      return is_like<MineBehind, OtherBehind>();
    }
  } else {
    return sizeof(Mine) == sizeof(Other);
  }
}

template <class Ours, class Theirs>
struct SameShape : std::false_type {};
template <class Return, class... Parameters, class OtherReturn, class... OtherParameters>
struct SameShape<Return (*)(Parameters...), OtherReturn (*)(OtherParameters...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Parameters) == sizeof...(OtherParameters)) {
      return is_like<Return, OtherReturn>() && (is_like<Parameters, OtherParameters>() && ...);
    } else {
      return false;
    }
  }();
};

}  // namespace zl::backend
