"""Replaces the corpus' shapes by the plan's: the small ones among them, or those of a file that is
written like the corpus' core_shapes.yaml. Chosen when the plan's shapes are not the corpus' own."""

import functools
import math
import sys

import pytest

from .channel import channel
from .plan import plan


def elements_of(shape):
    """The product of a shape's sizes. A shape of several tensors counts their sum."""
    if isinstance(shape, bool) or not isinstance(shape, (int, list, tuple)):
        return 0
    if isinstance(shape, int):
        return shape
    if all(isinstance(size, int) for size in shape):
        return math.prod(shape)
    return sum(elements_of(part) for part in shape)


def small_ones(shapes, max_elements):
    """Those with at most so many elements, and never none: the smallest stays."""
    kept = [shape for shape in shapes if elements_of(shape) <= max_elements]
    return kept or sorted(shapes, key=elements_of)[:1]


def entry_for(file_shapes, bench):
    """The file's entry for the operator, else for the nearest of its classes."""
    names = [bench.op_name, *(cls.__name__ for cls in type(bench).__mro__)]
    found = next((file_shapes[name] for name in names if name in file_shapes), None)
    return found if isinstance(found, dict) and found.get("shapes") else None


def _apply(bench, file_shapes):
    before = list(bench.shapes)
    if file_shapes is None:
        bench.shapes = small_ones(before, plan.shapes["max_elements"])
        text = f"{len(bench.shapes)} of {len(before)} shapes are small enough"
        if len(bench.shapes) == len(before):
            return
    else:
        entry = entry_for(file_shapes, bench)
        if entry is None:
            text = "not in the shape file: the corpus' own shapes stay"
        else:
            bench.shapes = [tuple(shape) for shape in entry["shapes"]]
            bench.shape_desc = entry.get("shape_desc", bench.shape_desc)
            text = f"{len(bench.shapes)} shapes from the file instead of {len(before)}"
    channel.note("info", "SHAPES", f"{bench.op_name}: {text}")


def _file_shapes():
    """None when the plan asks for the small ones."""
    if plan.shapes.get("mode") == "small":
        if not isinstance(plan.shapes.get("max_elements"), int):
            raise pytest.UsageError("the plan's shapes are small, but max_elements is missing")
        return None
    import yaml

    path = plan.shapes.get("path")
    try:
        with open(path, encoding="utf-8") as file:
            found = yaml.safe_load(file)
    except (OSError, TypeError, yaml.YAMLError) as error:
        raise pytest.UsageError(f"the shape file {path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise pytest.UsageError(f"the shape file {path} is no map of operators to shapes")
    return found


def pytest_collection_finish():
    """After every class is defined. Wrapped is the base's init_user_config, which ends with
    set_shapes, whichever class that is of."""
    if plan.shapes.get("mode", "upstream") == "upstream":
        return
    file_shapes = _file_shapes()
    for name, module in list(sys.modules.items()):
        if name == "benchmark.base" or name.endswith(".benchmark.base"):
            _wrap(module.Benchmark, file_shapes)


def _wrap(benchmark, file_shapes):
    original = benchmark.init_user_config

    @functools.wraps(original)
    def init_user_config(self):
        original(self)
        _apply(self, file_shapes)

    benchmark.init_user_config = init_user_config
