"""The timers that are held against each other: the engine's graph and direct, and Triton's two."""

import contextlib
import ctypes
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch
import triton.testing


def _plug_ins(library):
    """The engine's Python side, with a plan of its own."""
    plan = {"format": 1, "timer": "graph", "backend": {"torch_device": "cuda"},
            "engine": {"library": library, "family": "cuda", "libraries": ["libcuda.so.1"]}}
    file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
    with file:
        json.dump(plan, file)
    os.environ["ZL_PLAN"] = file.name
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    from zlbench_plugins import engine_timer, engine_work, prepared

    return engine_timer, engine_work, prepared


class Timers:
    def __init__(self, library):
        engine_timer, self._engine_work, self._prepared = _plug_ins(library)
        self._timer = engine_timer.EngineTimer(torch)
        self._capturer = self._timer._capturer
        self._stream = torch.cuda.Stream()
        self.answers = []  # of every measurement of the engine, for A20
        self.facts = self._timer._engine.facts

    def sides(self, calls, graph=True):
        self._timer._capturer = self._capturer if graph else None
        return [self._timer.prepare(self._prepared.Side(
            f"{place}", call, lambda call=call: call, contextlib.nullcontext, [],
            is_made_in_context=False), lambda _call: None) for place, call in enumerate(calls)]

    def measure(self, calls, graph=True, cold=True):
        """The engine's answer for the calls, taken together; with the flags of their preparation and
        the seconds that all of it took."""
        begin = time.perf_counter()
        prepared = self.sides(calls, graph)
        engine = self._timer._engine
        if cold:
            answer = self._timer.measure("bench", prepared)
        else:
            answer = self._warm(engine, prepared)
        for timing, side in zip(answer["timings"], prepared):
            timing["flags"] = timing["flags"] + timing["summary"]["flags"] + side.flags
            self.answers.append(timing)
        answer["took_s"] = time.perf_counter() - begin
        return answer

    def _warm(self, engine, prepared):
        works = [self._engine_work.EngineWork.of(side, "bench") for side in prepared]
        array = (type(works[0].work) * len(works))(*[work.work for work in works])
        with self._timer.put_back(prepared):
            return json.loads(engine._library.zl_timing_measure(
                engine._engine, array, len(works), self._timer._stream_handle(), 0, 0.0))

    def graph_ns(self, call):
        return self.measure([call])["timings"][0]["summary"]["median_ns"]

    def direct_ns(self, call):
        return self.measure([call], graph=False)["timings"][0]["summary"]["median_ns"]

    def do_bench_ns(self, call):
        return self._rival(triton.testing.do_bench, call)

    def cudagraph_ns(self, call):
        return self._rival(triton.testing.do_bench_cudagraph, call)

    def _rival(self, bench, call):
        with torch.cuda.stream(self._stream):
            found = bench(call, return_mode="all")
        torch.cuda.synchronize()
        return 1e6 * statistics.median(found)

    def summarise(self, record):
        engine = self._timer._engine
        function = engine._library.zl_timing_summarise
        function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_char_p]
        return json.loads(function(engine._engine, json.dumps(record).encode()))
