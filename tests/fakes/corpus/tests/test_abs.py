import pytest
import torch

import flag_gems


@pytest.mark.abs
@pytest.mark.parametrize("shape", [(4,), (8, 8)])
def test_accuracy_abs(shape, dtype):
    inp = torch.randn(shape, dtype=dtype, device=flag_gems.device)
    with flag_gems.use_gems():
        out = torch.abs(inp)
    assert out.shape == inp.shape
