#!/usr/bin/env bash
# What looking at the machine costs: wall time of whole processes, least and median of RUNS.
#   bench/devices.sh ZLBENCH [RUNS]
set -euo pipefail
program=${1:?the zlbench to measure}
runs=${2:-100}

for words in "devices" "devices --backend cpu" "backends"; do
  for ((i = 0; i < runs; ++i)); do
    begin=$(date +%s%N)
    # shellcheck disable=SC2086
    "$program" $words >/dev/null 2>&1 || true
    end=$(date +%s%N)
    echo $(((end - begin) / 1000))
  done | sort -n | awk -v words="$words" '
    { us[NR] = $1 }
    END { printf "%-22s least %6.1f ms  median %6.1f ms  of %d\n", words, us[1] / 1000, us[int((NR + 1) / 2)] / 1000, NR }'
done
