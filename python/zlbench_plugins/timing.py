"""Measures case by case, through the timing engine or with the corpus' own timer: replaces
Benchmark.run by loop.Loop, and listens at get_latency for classes with a run() of their own. The
function that times, which the autotuner uses as well, stays untouched."""

import functools
import gc
import sys

import pytest

from .access import access
from .channel import channel
from .loop import Loop
from .measuring import Measuring
from .own_run import OwnRun


class _Node:
    """What is running now: the pytest item, and the benchmark with a run() of its own if any."""

    config = None
    item = None
    measuring = None
    own_run = None


_node = _Node()


def _benchmark_modules():
    return [module for name, module in list(sys.modules.items())
            if (name == "benchmark.base" or name.endswith(".benchmark.base"))
            and isinstance(getattr(module, "Benchmark", None), type)]


def _take_over(module):
    """Once per module: its Benchmark runs our loop."""
    benchmark = module.Benchmark
    if hasattr(benchmark.run, "zlbench_original"):
        return
    original_run, original_latency = benchmark.run, benchmark.get_latency

    @functools.wraps(original_run)
    def run(self):
        if _node.item is None or module.Config.query:
            return original_run(self)
        return Loop(_measuring(module), self).run()

    @functools.wraps(original_latency)
    def get_latency(self, op, *args, **kwargs):
        own = functools.partial(original_latency, self)
        if _node.item is None or _measuring(module).active:
            return own(op, *args, **kwargs)
        if _measuring(module).heard is not None:
            _measuring(module).heard.append((op, args, kwargs))
            return 1.0
        if _node.own_run is None or _node.own_run.bench is not self:
            _close_own_run()
            _node.own_run = OwnRun(_measuring(module), self)
        return _node.own_run.latency(own, op, args, kwargs)

    run.zlbench_original = original_run
    benchmark.run, benchmark.get_latency = run, get_latency


def _measuring(module):
    if _node.measuring is None or _node.measuring.base is not module:
        _node.measuring = Measuring(_node.config.hook, _node.item, module)
    return _node.measuring


def _close_own_run():
    if _node.own_run is not None:
        _node.own_run.close("run() ended before this side was measured")
        _node.own_run = None


def pytest_configure(config):
    _node.config = config


def pytest_collection_finish(session):
    # What the imports made stays to the end: without it each collection takes its share only.
    gc.collect()
    gc.freeze()
    modules = _benchmark_modules()
    for module in modules:
        _take_over(module)
    if not modules and any(item.nodeid.startswith("benchmark/") for item in session.items):
        channel.note("warning", "NO_BENCHMARK_BASE",
                     "the corpus has no benchmark.base with a class Benchmark: nothing is measured")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    _node.item, _node.measuring = item, None
    try:
        yield
    finally:
        _close_own_run()
        _node.item = _node.measuring = None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    """A node's set-up and end may use the device as well as its call."""
    access.share()
    try:
        yield
    finally:
        access.leave()
