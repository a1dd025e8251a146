#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" "${test_packages[@]}"
build dev
cd "$root"
say "== testing (dev)"
ctest --preset dev -j "$(nproc)" || fail "tests: the lines above name them"
if [ -z "${ZL_TEST_FLAGGEMS:-}" ]; then
  say "LEFT OUT: the tests that need FlagGems itself. Set ZL_TEST_FLAGGEMS to a checkout to run them."
fi
