import pytest
import torch

from . import base


@pytest.mark.abs
def test_abs():
    base.UnaryBenchmark(op_name="abs", torch_op=torch.abs).run()


@pytest.mark.abs_
def test_abs_inplace():
    base.UnaryBenchmark(op_name="abs_", torch_op=torch.abs_, is_inplace=True).run()
