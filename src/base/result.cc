#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace zl {

void check_failed(char const* condition, char const* text, char const* file, int line) {
  std::fprintf(stderr, "zlbench: internal error at %s:%d: %s (%s). Please report it.\n", file, line,
               text, condition);
  std::abort();
}

}  // namespace zl
