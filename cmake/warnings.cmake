# Warnings for our own code only: third-party headers are not ours to fix.
add_library(zl_warnings INTERFACE)
target_compile_options(zl_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(ZL_WERROR)
  target_compile_options(zl_warnings INTERFACE -Werror)
endif()
# g++ 12 reports these two falsely inside the standard library at -O2 (GCC PR105329, PR105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(zl_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
