import pytest
import torch

from . import base


@pytest.mark.softmax
def test_softmax():
    base.UnaryBenchmark(op_name="softmax", torch_op=torch.softmax).run()
