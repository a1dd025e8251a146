#!/usr/bin/env python3
"""How well the speedups of a corpus repeat, and what a measurement costs: each operator twice in
fresh processes with zlbench and twice with the corpus' own harness, in turns.

    headline.py ZLBENCH CORPUS OUT [--zlbench-only] [OPERATOR ...]

The Python that runs this runs both. OUT becomes a folder with headline.json, all values in it."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

OPERATORS = ["gelu", "cumsum", "gather", "abs", "rms_norm", "softmax"]
HERE = pathlib.Path(__file__).resolve().parent


def environment(folder):
    return {**os.environ, "HEADLINE_TIMES": str((folder / "times.json").resolve()),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))}


def run(command, folder, **options):
    folder.mkdir(parents=True)
    begin = time.monotonic()
    with open(folder / "log", "w", encoding="utf-8") as log:
        code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, **options).returncode
    told = {"exit_code": code, "wall_s": time.monotonic() - begin}
    times = folder / "times.json"
    return {**told, **(json.loads(times.read_text()) if times.exists() else {})}


def with_zlbench(zlbench, corpus, op, folder):
    told = run([zlbench, "run", op, "--corpus", corpus, "--python", sys.executable, "--runs",
                str(folder / "runs"), "--", "-p", "headline_times"], folder,
               env=environment(folder))
    ns = {}
    for path in folder.glob("runs/*/*/measurements.jsonl"):
        for line in path.read_text().splitlines():
            one = json.loads(line)
            ns.setdefault(f"{one['dtype']} {one['shape']} {one['case']}", {})[one["side"]] = one
    told["cases"] = {case: {"baseline_ns": sides["baseline"]["value_ns"],
                            "candidate_ns": sides["candidate"]["value_ns"],
                            "flags": sides["candidate"].get("flags", [])}
                     for case, sides in ns.items() if len(sides) == 2}
    return told


def with_own_harness(corpus, op, folder):
    result = (folder / "result.json").resolve()
    env = {**environment(folder), "TRITON_CACHE_DIR": str((folder / "triton").resolve())}
    told = run([sys.executable, "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider",
                "-p", "headline_times", f"benchmark/test_{op}.py", "-m", op, "--level", "core", "--record", "json", "--output", str(result)],
               folder, env=env, cwd=corpus)
    told["cases"] = {}
    if result.exists():
        for detail in json.loads(result.read_text())[op]["details"]:
            for place, one in enumerate(detail["result"]):
                if one.get("latency") and one.get("latency_base"):
                    told["cases"][f"{detail['dtype']} {one['shape_detail']} {place}"] = {
                        "baseline_ns": one["latency_base"] * 1e6,
                        "candidate_ns": one["latency"] * 1e6}
    return told


def speedup(case):
    return case["baseline_ns"] / case["candidate_ns"]


def changes(first, second):
    return [abs(speedup(second["cases"][case]) / speedup(first["cases"][case]) - 1)
            for case in first["cases"].keys() & second["cases"].keys()]


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def measurement_s(runs):
    """Time in the test but for compiling, for each side of each case."""
    return statistics.mean((run["test_s"] - run["compile_s"]) / (2 * max(1, len(run["cases"])))
                           for run in runs if "test_s" in run)


def row(name, found, runs):
    walls = f"{measurement_s(runs):10.3f}" if any("test_s" in run for run in runs) else " " * 10
    print(f"{name:26} {len(found):5} {100 * quantile(found, 0.5):9.2f} "
          f"{100 * quantile(found, 0.9):9.2f} {100 * max(found, default=float('nan')):9.2f} {walls} "
          f"{statistics.mean(run['wall_s'] for run in runs):9.1f}", flush=True)


def main(zlbench, corpus, out, *operators):
    out = pathlib.Path(out)
    tools = ["zlbench"] if "--zlbench-only" in operators else ["zlbench", "own"]
    operators = [op for op in operators if op != "--zlbench-only"]
    runs = {}
    print(f"{'|change of the speedup| in %':26} {'cases':>5} {'median':>9} {'p90':>9} {'max':>9} "
          f"{'s/measm.':>10} {'s/run':>9}")
    for op in operators or OPERATORS:
        for turn in range(2):
            place = out / op
            runs.setdefault((op, "zlbench"), []).append(
                with_zlbench(zlbench, corpus, op, place / f"zlbench-{turn}"))
            if "own" in tools:
                runs.setdefault((op, "own"), []).append(
                    with_own_harness(corpus, op, place / f"own-{turn}"))
        for tool in tools:
            row(f"{op}, {tool}", changes(*runs[op, tool]), runs[op, tool])
        kept = [{"op": op, "tool": tool, "runs": two} for (op, tool), two in runs.items()]
        (out / "headline.json").write_text(json.dumps(kept, indent=1))
    for tool in tools:
        pairs = [two for (_, whose), two in runs.items() if whose == tool]
        row(f"all, {tool}", [one for two in pairs for one in changes(*two)],
            [run for two in pairs for run in two])


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
