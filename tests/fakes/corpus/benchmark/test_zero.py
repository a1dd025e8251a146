import pytest
import torch

from . import base


@pytest.mark.zero_
def test_zero():
    base.UnaryBenchmark(op_name="zero_", torch_op=torch.zero_, is_inplace=True).run()


@pytest.mark.zero_user
def test_user_of_zero():
    """Calls zero_ as the timer does, which must stay torch's."""
    base.UnaryBenchmark(op_name="zero_user", torch_op=lambda x: torch.zero_(x)).run()
