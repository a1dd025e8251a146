import pytest
import torch


@pytest.mark.add
def test_accuracy_add(dtype):
    inp = torch.randn((4,), dtype=dtype)
    try:
        raise ArithmeticError("1 of 4 elements differs")
    except ArithmeticError:
        assert torch.add(inp, inp) is None, "not close"
