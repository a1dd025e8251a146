#!/usr/bin/env python3
"""How well numbers of the CPU corpus repeat themselves: batches of zlbench and a naive best-of-N loop
over the same cases take turns, twice each and for the same time, and the change of each case from the
first to the second of a kind is told.

    repeatability.py ZLBENCH NAIVE_LOOP [OPERATOR ...]

ZLBENCH and NAIVE_LOOP are programs of one build folder (-DZL_BENCH=ON). Nothing else should run."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def zlbench_batch(zlbench, operators):
    """Values by (operator, case, side) in ns, those of them without a flag, and the seconds that it
    took."""
    with tempfile.TemporaryDirectory() as runs:
        began = time.monotonic()
        subprocess.run([zlbench, "batch", "--backend", "cpu", "--provider", "native", "--runs", runs,
                        *operators], check=True, stdout=subprocess.DEVNULL)
        took_s = time.monotonic() - began
        values, clean = {}, {}
        for path in pathlib.Path(runs).glob("*/*/measurements.jsonl"):
            for line in path.read_text().splitlines():
                one = json.loads(line)
                key = path.parent.name, one["case"], one["side"]
                values[key] = one["value_ns"]
                if not one.get("flags"):
                    clean[key] = one["value_ns"]
        return values, clean, took_s


def naive_batch(program, libraries, side_s):
    text = subprocess.run([program, str(side_s), *libraries], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    rows = [line.split() for line in text.splitlines()]
    return {(op, case, side): float(ns) for op, case, side, ns in rows if float(ns) > 0}


def speedups(values):
    return {key[:2]: values[key] / values[*key[:2], "candidate"] for key in values
            if key[2] == "baseline" and (*key[:2], "candidate") in values}


def changes(first, second):
    return sorted(abs(second[key] / first[key] - 1) for key in first.keys() & second.keys())


def row(name, found):
    at = lambda share: 100 * found[min(len(found) - 1, int(share * len(found)))] if found else 0
    return f"{name:36} {len(found):6} {at(0.5):9.2f} {at(0.9):9.2f} {at(1):9.2f}"


def main(zlbench, naive, *operators):
    folder = pathlib.Path(zlbench).resolve().parent / "lib" / "zlbench" / "operators"
    libraries = sorted(str(path) for path in folder.glob("*.so"))
    batches, clean, loops, took_s = [], [], [], []
    for _ in range(2):
        print(f"load {os.getloadavg()[0]:.2f}", file=sys.stderr)
        values, without_flags, seconds = zlbench_batch(zlbench, operators)
        batches.append(values)
        clean.append(without_flags)
        took_s.append(seconds)
        began = time.monotonic()
        loops.append(naive_batch(naive, libraries, took_s[0] / len(batches[0])))
        took_s.append(time.monotonic() - began)
    loops = [{key: loop[key] for key in loop.keys() & batches[0].keys()} for loop in loops]
    print("seconds: " + ", ".join(f"{seconds:.0f}" for seconds in took_s))
    print(f"{'|ratio - 1| in %':36} {'values':>6} {'median':>9} {'p90':>9} {'max':>9}")
    for what, of in (("time of a side", dict), ("speedup of a case", speedups)):
        for whose, values in (("zlbench", batches), ("zlbench no flag", clean), ("best of N", loops)):
            print(row(f"{what}, {whose}", changes(*map(of, values))))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
