/* Nothing wrong: two operators that copy. */
#include "fake.h"

static const struct zlbench_operator operators[] = {
    {"copy", "copies a buffer", fake_cases, FAKE_CASE_COUNT, 0, fake_create, fake_baseline,
     fake_candidate, fake_check, fake_destroy, NULL},
    {"copy.again", NULL, fake_cases, 1, 0, fake_create, fake_baseline, fake_candidate, fake_check,
     fake_destroy, NULL},
};

static const struct zlbench_library library = {
    ZLBENCH_LIBRARY_HEADER, "good", "1.2", "plain C", operators, 2, 0,
};

const struct zlbench_library* zlbench_operators(void) {
  return &library;
}
