#!/usr/bin/env bash
# clang-format and clang-tidy over the sources. `lint.sh --fix` formats.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" "${test_packages[@]}" clang clang-format clang-tidy shellcheck
cd "$root"
mapfile -t sources < <(find src include corpus tests -name '*.cc' -o -name '*.h' -o -name '*.c' | sort)
if [ "${1:-}" = --fix ]; then
  clang-format -i "${sources[@]}"
else
  clang-format --dry-run --Werror "${sources[@]}" || fail "clang-format: run scripts/lint.sh --fix"
fi
shellcheck -x scripts/*.sh .ci/run || fail "shellcheck"
step "configuring (lint)" cmake --preset lint
mapfile -t units < <(find src -name '*.cc' | sort)
tidy() { printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/lint; }
step "clang-tidy" tidy "${units[@]}"
