#include "cli/main.h"

int main(int argc, char** argv) {
  return zl::cli::run_program(argc, argv);
}
