import pytest
import torch
import triton

from . import base


@triton.jit
def fused_kernel(tensor):
    return tensor


def compiled_reference(tensor):
    """As torch.compile does: takes the launch arguments from the kernel's metadata."""
    from torch._inductor.runtime import triton_heuristics

    kernel = fused_kernel[(1,)](tensor, num_warps=4)
    print(f"LAUNCHED_WITH {triton_heuristics.launch_arguments(kernel)}")
    return tensor


@pytest.mark.compiled
def test_compiled():
    base.UnaryBenchmark(op_name="compiled", torch_op=compiled_reference, gems_op=torch.sum).run()
