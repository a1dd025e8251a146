/* A plug-in library for zlbench: operators with cases, a baseline, a candidate and a check.
 *
 * A shared library exports ONE function, zlbench_operators(), which returns a constant table.
 * zlbench loads the library in a process of its own, one operator at a time, and does this for
 * every case:
 *
 *   create(case, seed, &state)              inputs are made here; nothing is timed
 *   baseline(state);  check(state, ZLBENCH_BASELINE, &result)
 *   candidate(state); check(state, ZLBENCH_CANDIDATE, &result)
 *   baseline(state), candidate(state) ...   many times, alternating; this is what is timed
 *   destroy(state)
 *
 * A case whose check fails is not timed. All calls come from one thread. No C++ exception and no
 * longjmp may leave a function of this interface. See docs/native-operators.md for an example.
 *
 * Growth: within one abi_version, fields are only ever added at the end of a structure. The sizes
 * in struct zlbench_library say how long the structures were when the plug-in was compiled.
 */
#ifndef ZLBENCH_OPERATOR_H
#define ZLBENCH_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#define ZLBENCH_ABI_VERSION 1u
#define ZLBENCH_MAX_RANK 8u

#if defined(__GNUC__)
#define ZLBENCH_EXPORT __attribute__((visibility("default")))
#else
#define ZLBENCH_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The main data type of a case. Kept in uint32_t fields, so that a structure's layout does not
 * depend on the size that a compiler gives an enum. */
enum zlbench_dtype {
  ZLBENCH_F64 = 1,
  ZLBENCH_F32 = 2,
  ZLBENCH_F16 = 3,
  ZLBENCH_BF16 = 4,
  ZLBENCH_S64 = 5,
  ZLBENCH_S32 = 6,
  ZLBENCH_S16 = 7,
  ZLBENCH_S8 = 8,
  ZLBENCH_U8 = 9
};

enum zlbench_side { ZLBENCH_BASELINE = 0, ZLBENCH_CANDIDATE = 1 };

/* What create, baseline, candidate and check return; every other value counts as ZLBENCH_FAILED. */
enum zlbench_status {
  ZLBENCH_OK = 0,
  ZLBENCH_FAILED = 1,
  ZLBENCH_UNSUPPORTED = 2 /* create only: this machine cannot run the case; it is skipped */
};

struct zlbench_case {
  char const* name;       /* [A-Za-z0-9_.-]+, unique in its operator */
  char const* shape_text; /* for people, such as "64x128"; NULL: made of dims */
  int64_t const* dims;    /* `rank` sizes above 0 that tell this case from the others */
  uint32_t rank;          /* 0 (then dims may be NULL) to ZLBENCH_MAX_RANK */
  uint32_t dtype;         /* enum zlbench_dtype */
  double flops;           /* arithmetic of one call, 0 if unknown */
  double bytes;           /* bytes one call must read and write at least, 0 if unknown */
};

/* Filled by check: how far the output of the last call of one side is from a reference computed in
 * float64 from the same inputs. */
struct zlbench_check {
  uint32_t struct_size; /* set by zlbench before the call */
  int32_t passed;       /* 1 or 0 */
  double max_abs_error; /* largest |got - want| */
  double max_rel_error; /* largest |got - want| / scale; scale is the operator's to choose, such as
                           |want|, or the sum of |a*b| for a product that may cancel out */
  double tolerance;     /* the largest max_rel_error that still passes; zlbench compares them too,
                           and an error that is not a number never passes */
};

/* No pointer in here may be NULL, except where it says so. */
struct zlbench_operator {
  char const* name;        /* [A-Za-z0-9_.-]+, unique in the library */
  char const* description; /* one line, or NULL */
  const struct zlbench_case* cases;
  uint32_t case_count; /* at least 1 */
  uint32_t reserved;   /* 0 */

  /* Prepares a case: allocates, fills the inputs with random values from `seed` (equal inputs make
   * hardware look faster than it is), and stores what it made in *state. Unless it returns
   * ZLBENCH_OK it must have freed everything, and may write a reason of at most error_size bytes,
   * its NUL included. */
  int (*create)(uint32_t case_index, uint64_t seed, void** state, char* error, size_t error_size);

  /* One call does the whole measured work and returns after it is done. It must be repeatable: the
   * same inputs, the same work, the same output each time. */
  int (*baseline)(void* state);
  int (*candidate)(void* state);

  /* Compares the output that the last call of `side` left; `side` is an enum zlbench_side. */
  int (*check)(void* state, uint32_t side, struct zlbench_check* result);

  void (*destroy)(void* state);

  /* The reason of the last call that did not return ZLBENCH_OK; valid until the next call with this
   * state. NULL if the operator has none to tell. */
  char const* (*last_error)(void* state);
};

struct zlbench_library {
  uint32_t abi_version;   /* ZLBENCH_ABI_VERSION */
  uint32_t struct_size;   /* sizeof(struct zlbench_library) */
  uint32_t operator_size; /* sizeof(struct zlbench_operator) */
  uint32_t case_size;     /* sizeof(struct zlbench_case) */
  char const* name;       /* [A-Za-z0-9_.-]+ */
  char const* version;
  char const* provider_note; /* what the candidates stand on: "oneDNN 2.6.3, 1 thread"; or NULL */
  const struct zlbench_operator* operators;
  uint32_t operator_count; /* at least 1 */
  uint32_t reserved;       /* 0 */
};

/* The first four fields of struct zlbench_library. */
#define ZLBENCH_LIBRARY_HEADER                                   \
  ZLBENCH_ABI_VERSION, (uint32_t)sizeof(struct zlbench_library), \
      (uint32_t)sizeof(struct zlbench_operator), (uint32_t)sizeof(struct zlbench_case)

/* The one exported function. The table must stay valid and unchanged until the library is closed.
 */
ZLBENCH_EXPORT const struct zlbench_library* zlbench_operators(void);

#ifdef __cplusplus
}
#endif

#endif
