/* What all stand-ins for management libraries share: they are scripted by environment variables. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline long number(char const* name, long fallback) {
  char const* text = getenv(name);
  return text == NULL ? fallback : strtol(text, NULL, 0);
}

/* Of the library's start: `name` is unset (0), "hang", "crash", or the code to return. */
static inline int started(char const* name) {
  char const* how = getenv(name);
  if (how == NULL) return 0;
  if (strcmp(how, "hang") == 0) {
    for (;;) pause();
  }
  if (strcmp(how, "crash") == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  return (int)strtol(how, NULL, 0);
}

static inline unsigned index_of(void const* device) {
  return (unsigned)(uintptr_t)device - 1;
}
