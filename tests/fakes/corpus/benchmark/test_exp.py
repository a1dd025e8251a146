import pytest
import torch

from . import base


@pytest.mark.exp
def test_exp():
    """Its second shape of three fails in the candidate."""
    base.UnaryBenchmark(op_name="exp", torch_op=torch.exp).run()
