#!/usr/bin/env bash
# From a fresh clone to a first result: installs what is missing, builds, and runs the embedded CPU corpus.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}"
build release
zlbench="$root/build/release/zlbench"
export ZL_RUNS="${ZL_RUNS:-$root/zlbench-runs}"
say "== running the CPU corpus: zlbench batch --backend cpu --provider native"
"$zlbench" batch --backend cpu --provider native || fail "the batch (exit status $?): the lines above say what"
say "zlbench is $zlbench"
