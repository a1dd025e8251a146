/* y = 3 x: the smallest useful plug-in. Build it with:
 *   cc -O2 -shared -fPIC -I PREFIX/include scale.c -o scale.so
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlbench/operator.h>

struct state {
  size_t count;
  float *x, *y[2]; /* y: one output a side */
};

static const int64_t small[] = {4096}, large[] = {1048576};
static const struct zlbench_case cases[] = {
    /* name, shape text (NULL: from dims), dims, rank, dtype, flops, bytes */
    {"4k", NULL, small, 1, ZLBENCH_F32, 4096, 2 * 4096 * 4},
    {"1m", NULL, large, 1, ZLBENCH_F32, 1048576, 2 * 1048576 * 4},
};

static void destroy(void* state) {
  struct state* s = state;
  free(s->x);
  free(s->y[0]);
  free(s->y[1]);
  free(s);
}

static int create(uint32_t index, uint64_t seed, void** state, char* error, size_t error_size) {
  struct state* s = calloc(1, sizeof *s);
  if (s != NULL) {
    s->count = (size_t)cases[index].dims[0];
    s->x = malloc(s->count * sizeof(float));
    s->y[0] = malloc(s->count * sizeof(float));
    s->y[1] = malloc(s->count * sizeof(float));
  }
  if (s == NULL || !s->x || !s->y[0] || !s->y[1]) {
    snprintf(error, error_size, "out of memory");
    if (s != NULL) destroy(s);
    return ZLBENCH_FAILED;
  }
  for (size_t i = 0; i < s->count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s->x[i] = (float)(seed >> 40) / 16777216.0f;
  }
  *state = s;
  return ZLBENCH_OK;
}

static int baseline(void* state) {
  struct state* s = state;
  for (size_t i = 0; i < s->count; ++i) s->y[ZLBENCH_BASELINE][i] = 3 * s->x[i];
  return ZLBENCH_OK;
}

static int candidate(void* state) { /* your kernel goes here */
  struct state* s = state;
  float* y = s->y[ZLBENCH_CANDIDATE];
  size_t i = 0;
  for (; i + 4 <= s->count; i += 4) {
    y[i] = 3 * s->x[i];
    y[i + 1] = 3 * s->x[i + 1];
    y[i + 2] = 3 * s->x[i + 2];
    y[i + 3] = 3 * s->x[i + 3];
  }
  for (; i < s->count; ++i) y[i] = 3 * s->x[i];
  return ZLBENCH_OK;
}

static int check(void* state, uint32_t side, struct zlbench_check* result) {
  struct state* s = state;
  result->tolerance = 6e-8; /* one rounding of a float: 2^-24 */
  for (size_t i = 0; i < s->count; ++i) {
    double want = 3.0 * (double)s->x[i];
    double error = fabs((double)s->y[side][i] - want);
    double relative = error == 0 ? 0 : error / fabs(want);
    if (!(error <= result->max_abs_error)) result->max_abs_error = error;
    if (!(relative <= result->max_rel_error)) result->max_rel_error = relative;
    if (isnan(error)) break; /* the largest error of all: nothing after it may replace it */
  }
  result->passed = result->max_rel_error <= result->tolerance;
  return ZLBENCH_OK;
}

static const struct zlbench_operator operators[] = {
    {"scale", "y = 3 x", cases, 2, 0, create, baseline, candidate, check, destroy, NULL},
};

static const struct zlbench_library library = {
    ZLBENCH_LIBRARY_HEADER, "example", "1.0", "hand-written C", operators, 1, 0,
};

const struct zlbench_library* zlbench_operators(void) {
  return &library;
}
