import torch
import triton

from . import base


@triton.jit
def early_kernel(tensor):
    return tensor


def test_compiles():
    """Before anything is timed: the inputs of a case may compile as well."""
    early_kernel[(1,)](torch.randn((4,)), num_warps=4)


def test_tunes():
    tensor = torch.randn((4,))
    triton.runtime.Autotuner(lambda x, num_warps: x, [{"num_warps": 4}, {"num_warps": 8}]).run(tensor)
    base.UnaryBenchmark(op_name="tuned", torch_op=torch.sum).run()
