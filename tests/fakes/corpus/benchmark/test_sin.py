import pytest
import torch

from . import base


@pytest.mark.sin
def test_sin():
    """Its second shape of three ruins the device."""
    base.UnaryBenchmark(op_name="sin", torch_op=torch.sin).run()


@pytest.mark.sin
def test_sin_again():
    print("RAN_ON_A_LOST_DEVICE")
