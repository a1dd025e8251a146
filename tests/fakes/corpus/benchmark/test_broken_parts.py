"""One part of the loop fails in each of these."""

import pytest
import torch

from . import base


class TallBenchmark(base.UnaryBenchmark):
    def set_shapes(self, shape_file_path=None):
        self.shapes = [(4, 4), (7, 4), (16, 4)]


def fails_at_seven(tensor):
    if tensor.shape[0] == 7:
        try:
            raise KeyError("a lookup that is expected to fail")
        except KeyError:
            raise NotImplementedError from None
    return tensor.clone()


def skips_at_seven(tensor):
    if tensor.shape[0] == 7:
        pytest.skip("a 7 is too odd")
    return tensor.clone()


@pytest.mark.bad_baseline
def test_bad_baseline():
    TallBenchmark(op_name="bad_baseline", torch_op=fails_at_seven).run()


class BadInput(TallBenchmark):
    def get_input_iter(self, dtype):
        for shape in self.shapes:
            if shape[0] == 7 and dtype == torch.float16:
                raise MemoryError("no room for the input")
            yield (torch.randn(shape, dtype=dtype, device=self.device),)


@pytest.mark.bad_input
def test_bad_input():
    BadInput(op_name="bad_input", torch_op=torch.sum).run()


class BadMetrics(TallBenchmark):
    DEFAULT_METRICS = [*base.Benchmark.DEFAULT_METRICS, "gbps"]

    def get_gbps(self, args, latency=None):
        if args[0].shape[0] == 7:
            raise ZeroDivisionError("no bytes")
        return 1.5


@pytest.mark.bad_metrics
def test_bad_metrics():
    BadMetrics(op_name="bad_metrics", torch_op=torch.sum).run()


@pytest.mark.skips_inside
def test_skips_inside():
    TallBenchmark(op_name="skips_inside", torch_op=skips_at_seven).run()


class NoShapes(TallBenchmark):
    def set_shapes(self, shape_file_path=None):
        self.shapes = []


@pytest.mark.no_numbers
def test_no_numbers():
    NoShapes(op_name="no_numbers", torch_op=torch.sum).run()


class OddTimer(TallBenchmark):
    def get_latency(self, op, *args, **kwargs):
        super().get_latency(op, *args, **kwargs)
        return float("nan")


@pytest.mark.odd_timer
def test_odd_timer():
    OddTimer(op_name="odd_timer", torch_op=torch.sum).run()


class DoubledTimer(TallBenchmark):
    def get_latency(self, op, *args, **kwargs):
        return 2 * super().get_latency(op, *args, **kwargs)


@pytest.mark.doubled_timer
def test_doubled_timer():
    DoubledTimer(op_name="doubled_timer", torch_op=torch.sum).run()


@pytest.fixture
def broken_fixture():
    raise OSError("the fixture is broken")


@pytest.mark.bad_setup
def test_bad_setup(broken_fixture):
    pass
