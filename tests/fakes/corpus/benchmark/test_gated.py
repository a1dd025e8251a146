import pytest
import torch

from . import base


@pytest.mark.gated
@pytest.mark.skipif(base.vendor_name != "", reason="requires a vendor that nobody has")
def test_gated():
    base.UnaryBenchmark(op_name="gated", torch_op=torch.sum).run()
