import pytest
import torch

import flag_gems

from . import base


class OwnLoop(base.GenericBenchmark):
    """A run() of its own, in the base's order."""

    def run(self):
        self.init_user_config()
        for dtype in self.to_bench_dtypes:
            for args in self.get_input_iter(dtype):
                try:
                    self.measure(args)
                except Exception as error:
                    pytest.fail(str(error))

    def measure(self, args):
        self.get_latency(self.torch_op, *args)
        with flag_gems.use_gems(exclude=["zero_"]):
            self.get_latency(self.torch_op, *args)


class CandidateOnly(OwnLoop):
    """A run() that nobody can know the sides of."""

    def measure(self, args):
        self.get_latency(lambda *tensors: tensors[0], *args)


def matrices(shape, dtype, device):
    m, n, k = shape
    yield (torch.randn((m, k), dtype=dtype, device=device),
           torch.randn((k, n), dtype=dtype, device=device))


def fails_at_seven(left, right):
    if left.shape[0] == 7:
        raise ValueError("7 rows")
    return left


@pytest.mark.mm
def test_mm():
    OwnLoop(op_name="mm", torch_op=torch.mm, input_fn=matrices).run()


@pytest.mark.mm_odd
def test_mm_odd():
    CandidateOnly(op_name="mm", torch_op=torch.mm, input_fn=matrices).run()


@pytest.mark.mm_fails
def test_mm_fails():
    OwnLoop(op_name="mm", torch_op=fails_at_seven, input_fn=matrices).run()
