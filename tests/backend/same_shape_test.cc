// The comparison that the header tests stand on must be able to fail.
#include "backend/same_shape.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace zl::backend {
namespace {

struct Opaque;
struct Small {
  int one;
};
struct Large {
  long two[2];
};
enum class Status { ok };

template <class Ours, class Theirs>
constexpr bool same = SameShape<Ours, Theirs>::value;

TEST(SameShape, HoldsUpToOpaqueHandlesAndEnumerations) {
  EXPECT_TRUE((same<int (*)(void*), Status (*)(Opaque*)>));
  EXPECT_TRUE((same<int (*)(std::uint64_t*), Status (*)(unsigned long long*)>));
  EXPECT_TRUE((same<int (*)(void* const*), Status (*)(Opaque* const*)>));
  EXPECT_TRUE((same<int (*)(char const**), Status (*)(char const**)>));
}

TEST(SameShape, TellsWhatACallWouldGetWrong) {
  EXPECT_FALSE((same<int (*)(void*), Status (*)(Opaque*, int)>));     // a parameter more
  EXPECT_FALSE((same<int (*)(std::uint64_t), Status (*)(void*)>));    // a number for a pointer
  EXPECT_FALSE((same<int (*)(int, void*), Status (*)(void*, int)>));  // another order
  EXPECT_FALSE((same<int (*)(unsigned), Status (*)(std::size_t)>));   // too narrow
  EXPECT_FALSE((same<int (*)(float*), Status (*)(int*)>));            // other numbers
  EXPECT_FALSE((same<int (*)(int*), Status (*)(std::size_t*)>));      // writes past the end
  EXPECT_FALSE((same<int (*)(Small*), Status (*)(Large*)>));          // another structure
  EXPECT_FALSE((same<int (*)(int), char const* (*)(int)>));           // a text for a status
  EXPECT_FALSE((same<int (*)(void*), Status (*)(Opaque*, ...)>));
}

}  // namespace
}  // namespace zl::backend
