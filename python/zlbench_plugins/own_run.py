"""Benchmarks with a run() of their own keep it; their numbers are read where it calls get_latency.

The side follows from the corpus' fixed order, baseline before candidate, and is checked against the
operator that is called. A run() that does anything else is not guessed at: a note says that its
numbers are not captured."""

import pytest

from .cases import Case
from .channel import channel
from .ending import end_case, end_session
from .failures import described_chain, is_sticky


class OwnRun:
    def __init__(self, measuring, bench):
        self.measuring = measuring
        self.hook = measuring.hook
        self.bench = bench
        self.is_captured = True
        self._case = None
        self._latencies = {}

    def latency(self, get_latency, op, args, kwargs):
        side = self._next_side(op)
        if side is None:
            return get_latency(op, *args, **kwargs)
        if self._case is None:
            self._case = Case(self.measuring.item, self.bench.op_name, self._dtype(args),
                              self.bench.record_shapes(*args, **kwargs))
            self.hook.pytest_zlbench_case_begin(case=self._case)
        try:
            self._latencies[side] = self.measuring.one_side(
                self.bench, self._case, side, get_latency, op, args, kwargs)
        except BaseException as error:
            status = "skipped" if isinstance(error, pytest.skip.Exception) else "failed"
            self._end(status, described_chain(error))
            if is_sticky(error):
                end_session(self.measuring.item.session, described_chain(error))
            raise
        latency = self._latencies[side]
        if self._sides()[-1] == side:
            self._end("ok", None)
        return latency

    def close(self, reason):
        """At the node's end: a case that never got its last side."""
        if self._case is not None:
            self._case.phase = self._sides()[len(self._latencies)]
            self._end("failed", reason)

    def _sides(self):
        metrics = self.bench.to_bench_metrics
        pairs = (("baseline", "latency_base"), ("candidate", "latency"))
        return [side for side, metric in pairs if metric in metrics]

    def _next_side(self, op):
        sides = self._sides()
        if not self.is_captured or not sides:
            return None
        side = sides[len(self._latencies)]
        gems_op = getattr(self.bench, "gems_op", None)
        if op == (self.bench.torch_op if side == "baseline" else gems_op or self.bench.torch_op):
            return side
        self.is_captured = False
        channel.note("warning", "OWN_RUN",
                     f"{self.bench.op_name}: own run(): numbers not captured, it measures "
                     "something other than baseline and candidate in turn")
        self.close("own run(): the side of its next number is not known")
        return None

    def _dtype(self, args):
        dtypes = list(self.bench.to_bench_dtypes)
        seen = [arg.dtype for arg in args if getattr(arg, "dtype", None) in dtypes]
        return seen[0] if seen else dtypes[0] if len(dtypes) == 1 else None

    def _end(self, status, error):
        self.measuring.end_lease()
        case, self._case = self._case, None
        latencies, self._latencies = self._latencies, {}
        metrics = {}
        if status == "ok" and len(latencies) == 2 and all(latencies.values()) \
                and not case.no_speedup:
            metrics["speedup"] = latencies["baseline"] / latencies["candidate"]
        end_case(self.hook, case, status, error, metrics)
