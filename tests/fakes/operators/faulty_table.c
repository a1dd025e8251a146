/* A good table in which the variable FAKE_FAULT breaks one thing, and FAKE_LOAD makes loading
 * itself go wrong. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "fake.h"

static int is(char const* variable, char const* value) {
  char const* text = getenv(variable);
  return text != NULL && strcmp(text, value) == 0;
}

__attribute__((constructor)) static void on_load(void) {
  if (is("FAKE_LOAD", "crash")) abort();
  if (is("FAKE_LOAD", "hang")) pause();
  if (is("FAKE_LOAD", "exit")) _exit(0);
  if (is("FAKE_LOAD", "print")) {
    printf("{\"format\": 1, \"libraries\": [7]}\nno line feed at the end");
    fflush(stdout);
  }
  if (is("FAKE_LOAD", "lie")) {
    printf("{\"format\": 1, \"libraries\": 7}\n");
    fflush(stdout);
    _exit(0);
  }
}

static const int64_t negative_dims[1] = {-5};
static struct zlbench_case cases[2];
static struct zlbench_operator operators[2];
static struct zlbench_library library = {
    ZLBENCH_LIBRARY_HEADER, "faulty", "1", NULL, operators, 2, 0,
};

static void break_cases(void) {
  if (is("FAKE_FAULT", "case_name")) cases[1].name = "a/b";
  if (is("FAKE_FAULT", "case_name_null")) cases[1].name = NULL;
  if (is("FAKE_FAULT", "case_duplicate")) cases[1].name = cases[0].name;
  if (is("FAKE_FAULT", "rank")) cases[1].rank = ZLBENCH_MAX_RANK + 1;
  if (is("FAKE_FAULT", "dims_null")) cases[1].dims = NULL;
  if (is("FAKE_FAULT", "dims_negative")) {
    cases[1].rank = 1;
    cases[1].dims = negative_dims;
  }
  if (is("FAKE_FAULT", "dtype")) cases[1].dtype = 99;
  if (is("FAKE_FAULT", "flops")) cases[1].flops = -1;
}

static void break_operators(void) {
  if (is("FAKE_FAULT", "operator_name")) operators[1].name = "..";
  if (is("FAKE_FAULT", "operator_name_empty")) operators[1].name = "";
  if (is("FAKE_FAULT", "operator_duplicate")) operators[1].name = operators[0].name;
  if (is("FAKE_FAULT", "create")) operators[1].create = NULL;
  if (is("FAKE_FAULT", "baseline")) operators[1].baseline = NULL;
  if (is("FAKE_FAULT", "candidate")) operators[1].candidate = NULL;
  if (is("FAKE_FAULT", "check")) operators[1].check = NULL;
  if (is("FAKE_FAULT", "destroy")) operators[1].destroy = NULL;
  if (is("FAKE_FAULT", "cases_null")) operators[1].cases = NULL;
  if (is("FAKE_FAULT", "no_cases")) operators[1].case_count = 0;
}

static void break_library(void) {
  if (is("FAKE_FAULT", "version")) library.abi_version = 77;
  if (is("FAKE_FAULT", "struct_size")) library.struct_size = 8;
  if (is("FAKE_FAULT", "operator_size")) library.operator_size = 3;
  if (is("FAKE_FAULT", "case_size")) library.case_size = 1u << 30;
  if (is("FAKE_FAULT", "name_null")) library.name = NULL;
  if (is("FAKE_FAULT", "version_null")) library.version = NULL;
  if (is("FAKE_FAULT", "operators_null")) library.operators = NULL;
  if (is("FAKE_FAULT", "operator_count")) library.operator_count = 4000000000u;
}

const struct zlbench_library* zlbench_operators(void) {
  const struct zlbench_operator good = {"one",      "",           cases,         2,
                                        0,          fake_create,  fake_baseline, fake_candidate,
                                        fake_check, fake_destroy, NULL};
  memcpy(cases, fake_cases, sizeof(cases));
  operators[0] = good;
  operators[1] = good;
  operators[1].name = "two";
  break_cases();
  break_operators();
  break_library();
  return is("FAKE_FAULT", "table_null") ? NULL : &library;
}
