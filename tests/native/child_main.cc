// The native child alone, as `zlbench native-runner` is: argv[1] is that word.
#include "native/runner.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return zl::native::run_native_child({argv + 2, argv + argc});
}
