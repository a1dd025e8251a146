import pytest
import torch

from . import base


@pytest.mark.gelu_backward
def test_gelu_backward():
    base.UnaryBenchmark(op_name="gelu_backward", torch_op=torch.gelu, is_backward=True).run()
    print(f"BACKWARD_CALLS {len(torch.autograd.calls)}")
