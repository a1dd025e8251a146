#include "cli/main.h"

#include <csignal>

int main(int argc, char** argv) {
  // A file over its limit is to be an error of the write, and not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  return zl::cli::run_program(argc, argv);
}
