/* A sound table of operators that go wrong when they run, one way each. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

static int create_fails_once(uint32_t index, uint64_t seed, void** state, char* error,
                             size_t error_size) {
  if (index == 1) {
    strncpy(error, "no memory for the second case", error_size);
    return ZLBENCH_FAILED;
  }
  return fake_create(index, seed, state, error, error_size);
}

static int create_unsupported(uint32_t index, uint64_t seed, void** state, char* error,
                              size_t error_size) {
  if (index == 0) {
    strncpy(error, "needs a better CPU", error_size);
    return ZLBENCH_UNSUPPORTED;
  }
  return fake_create(index, seed, state, error, error_size);
}

/* Fills the whole buffer and ends it with no NUL. */
static int create_overlong(uint32_t index, uint64_t seed, void** state, char* error,
                           size_t error_size) {
  (void)index;
  (void)seed;
  (void)state;
  memset(error, 'x', error_size);
  return 12345;
}

static int wrong(void* state) {
  struct fake_state* s = state;
  fake_copy(s, ZLBENCH_CANDIDATE);
  s->out[1][s->count - 1] += 1;
  return ZLBENCH_OK;
}

static int wrong_baseline(void* state) {
  struct fake_state* s = state;
  fake_copy(s, ZLBENCH_BASELINE);
  s->out[0][0] += 1;
  return ZLBENCH_OK;
}

static int not_a_number(void* state) {
  struct fake_state* s = state;
  fake_copy(s, ZLBENCH_CANDIDATE);
  s->out[1][s->count / 2] = NAN;
  return ZLBENCH_OK;
}

/* Right at first, and wrong from the second call on. */
static int drifts(void* state) {
  struct fake_state* s = state;
  fake_copy(s, ZLBENCH_CANDIDATE);
  s->out[1][0] += (float)s->calls++;
  return ZLBENCH_OK;
}

static int fails(void* state) {
  (void)state;
  return ZLBENCH_FAILED;
}

static int fails_later(void* state) {
  struct fake_state* s = state;
  return ++s->calls > 3 ? ZLBENCH_FAILED : fake_copy(s, ZLBENCH_CANDIDATE);
}

static char const* last_error(void* state) {
  (void)state;
  return "the kernel\nwould not start";
}

static int crashes(void* state) {
  (void)state;
  raise(SIGSEGV);
  return ZLBENCH_OK;
}

static int hangs(void* state) {
  (void)state;
  pause();
  return ZLBENCH_FAILED;
}

/* Its time jumps between two values, so that no interval becomes narrow. */
static int restless(void* state) {
  struct fake_state* s = state;
  struct timespec pause_for = {0, ++s->calls % 2 ? 200000 : 2000000};
  nanosleep(&pause_for, NULL);
  return fake_copy(s, ZLBENCH_CANDIDATE);
}

/* Says that all is well whatever the numbers are. */
static int lying_check(void* state, uint32_t side, struct zlbench_check* result) {
  fake_check(state, side, result);
  result->passed = 1;
  return ZLBENCH_OK;
}

static int nan_check(void* state, uint32_t side, struct zlbench_check* result) {
  fake_check(state, side, result);
  result->max_rel_error = NAN;
  result->passed = 1;
  return ZLBENCH_OK;
}

static int negative_check(void* state, uint32_t side, struct zlbench_check* result) {
  fake_check(state, side, result);
  result->max_rel_error = -1;
  return ZLBENCH_OK;
}

static int failing_check(void* state, uint32_t side, struct zlbench_check* result) {
  (void)state;
  (void)side;
  (void)result;
  return ZLBENCH_FAILED;
}

#define OPERATOR(name, cases, create, baseline, candidate, check) \
  { name, "", fake_cases, cases, 0, create, baseline, candidate, check, fake_destroy, last_error }

static const struct zlbench_operator operators[] = {
    OPERATOR("create_fails_once", 3, create_fails_once, fake_baseline, fake_candidate, fake_check),
    OPERATOR("unsupported", 2, create_unsupported, fake_baseline, fake_candidate, fake_check),
    OPERATOR("overlong", 1, create_overlong, fake_baseline, fake_candidate, fake_check),
    OPERATOR("wrong", 1, fake_create, fake_baseline, wrong, fake_check),
    OPERATOR("wrong_baseline", 1, fake_create, wrong_baseline, fake_candidate, fake_check),
    OPERATOR("nan", 1, fake_create, fake_baseline, not_a_number, fake_check),
    OPERATOR("drifts", 1, fake_create, fake_baseline, drifts, fake_check),
    OPERATOR("fails", 1, fake_create, fake_baseline, fails, fake_check),
    OPERATOR("fails_later", 1, fake_create, fake_baseline, fails_later, fake_check),
    OPERATOR("crashes", 2, fake_create, fake_baseline, crashes, fake_check),
    OPERATOR("hangs", 1, fake_create, fake_baseline, hangs, fake_check),
    OPERATOR("restless", 2, fake_create, fake_baseline, restless, fake_check),
    OPERATOR("lies", 1, fake_create, fake_baseline, wrong, lying_check),
    OPERATOR("nan_check", 1, fake_create, fake_baseline, fake_candidate, nan_check),
    OPERATOR("negative_check", 1, fake_create, fake_baseline, fake_candidate, negative_check),
    {"fails_silently", "", fake_cases, 1, 0, fake_create, fake_baseline, fails, fake_check,
     fake_destroy, NULL},
    OPERATOR("failing_check", 1, fake_create, fake_baseline, fake_candidate, failing_check),
};

static const struct zlbench_library library = {
    ZLBENCH_LIBRARY_HEADER,
    "faulty_operators",
    "1",
    NULL,
    operators,
    sizeof(operators) / sizeof(operators[0]),
    0,
};

const struct zlbench_library* zlbench_operators(void) {
  return &library;
}
