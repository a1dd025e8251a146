import pytest
import torch

from . import base


def two_inputs(shape, dtype, device):
    tensor = torch.randn(shape, dtype=dtype, device=device)
    yield tensor, tensor.clone()


def with_out(shape, dtype, device):
    tensor = torch.randn(shape, dtype=dtype, device=device)
    yield tensor, 2, {"out": torch.empty_like(tensor)}


@pytest.mark.add
def test_add_tensor():
    base.GenericBenchmark(op_name="add", torch_op=torch.add, input_fn=two_inputs).run()


@pytest.mark.add
@pytest.mark.parametrize("rounding", ["floor", "trunc"])
def test_add_out(rounding):
    base.GenericBenchmark(op_name="add", torch_op=torch.add, input_fn=with_out).run()
