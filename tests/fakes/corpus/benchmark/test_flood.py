import pytest
import torch

from . import base


def floods(tensor):
    print("x" * 100_000)
    return tensor


@pytest.mark.flood
def test_flood():
    base.UnaryBenchmark(op_name="flood", torch_op=torch.sum, gems_op=floods).run()
