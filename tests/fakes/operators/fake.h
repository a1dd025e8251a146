/* An operator that copies a buffer: what the fake plug-ins change one thing of. */
#ifndef FAKE_H
#define FAKE_H

#include <stdlib.h>
#include <string.h>
#include <zlbench/operator.h>

struct fake_state {
  size_t count;
  uint32_t case_index;
  unsigned calls; /* of the candidate */
  float* in;
  float* out[2];
};

static const int64_t fake_small[1] = {1000};
static const int64_t fake_medium[2] = {50, 100};
static const int64_t fake_large[3] = {2, 100, 100};
static const struct zlbench_case fake_cases[] = {
    {"small", NULL, fake_small, 1, ZLBENCH_F32, 1000, 8000},
    {"medium", "fifty x hundred", fake_medium, 2, ZLBENCH_F32, 0, 40000},
    {"large", NULL, fake_large, 3, ZLBENCH_BF16, 0, 0},
};
#define FAKE_CASE_COUNT 3

static inline void fake_destroy(void* state) {
  struct fake_state* s = state;
  free(s->in);
  free(s->out[0]);
  free(s->out[1]);
  free(s);
}

static inline int fake_create(uint32_t index, uint64_t seed, void** state, char* error,
                              size_t error_size) {
  struct fake_state* s = calloc(1, sizeof(*s));
  (void)error;
  (void)error_size;
  s->case_index = index;
  s->count = 1;
  for (uint32_t i = 0; i < fake_cases[index].rank; ++i) {
    s->count *= (size_t)fake_cases[index].dims[i];
  }
  s->in = malloc(s->count * sizeof(float));
  s->out[0] = calloc(s->count, sizeof(float));
  s->out[1] = calloc(s->count, sizeof(float));
  for (size_t i = 0; i < s->count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s->in[i] = (float)(seed >> 40) / 16777216.0f + 0.5f;
  }
  *state = s;
  return ZLBENCH_OK;
}

static inline int fake_copy(struct fake_state* s, int side) {
  memcpy(s->out[side], s->in, s->count * sizeof(float));
  return ZLBENCH_OK;
}

static inline int fake_baseline(void* state) {
  return fake_copy(state, ZLBENCH_BASELINE);
}
static inline int fake_candidate(void* state) {
  return fake_copy(state, ZLBENCH_CANDIDATE);
}

static inline int fake_check(void* state, uint32_t side, struct zlbench_check* result) {
  struct fake_state* s = state;
  result->tolerance = 1e-6;
  result->passed = 1;
  for (size_t i = 0; i < s->count; ++i) {
    double error = (double)s->out[side][i] - (double)s->in[i];
    if (error < 0) error = -error;
    if (!(error <= result->max_abs_error)) result->max_abs_error = error;
    if (error != error) break; /* NaN: no later element may replace it */
  }
  result->max_rel_error = result->max_abs_error;
  if (!(result->max_rel_error <= result->tolerance)) result->passed = 0;
  return ZLBENCH_OK;
}

#endif
