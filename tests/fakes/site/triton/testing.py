"""The timer. It says on stdout when a launch hook is installed while it times: nothing may be."""

import time

from . import knobs

calls = []  # the arguments of each


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    calls.append({"warmup": warmup, "rep": rep, "return_mode": return_mode})
    if knobs.runtime.launch_enter_hook.calls:
        print("TIMED_WITH_A_HOOK")
    start = time.perf_counter()
    for _ in range(3):
        fn()
    latency_ms = max((time.perf_counter() - start) / 3 * 1e3, 1e-6)
    return [latency_ms] * 3 if quantiles else latency_ms


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    return do_bench(fn, rep=rep, return_mode=return_mode)
