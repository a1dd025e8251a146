"""The library's operators by the name that they replace."""

import triton

from ..utils.tuner import Tuner


@triton.jit
def abs_kernel(tensor):
    return tensor


@triton.jit
def softmax_kernel(tensor):
    return tensor


def abs(tensor):
    abs_kernel[(1,)](tensor, num_warps=4)
    return tensor.clone()


def softmax(tensor, *_others):
    softmax_kernel[(1,)](tensor, num_warps=8, conversions=2)
    return tensor.clone()


_tuned = Tuner(softmax_kernel, [{"num_warps": n, "conversions": n} for n in (1, 2)])


def cumsum(tensor, *_others):
    _tuned.run(tensor)
    return tensor.clone()


def abs_(tensor):
    return tensor


def zero_(tensor):
    print("ZERO_OF_THE_LIBRARY")
    return tensor


def exp(tensor):
    if tensor.shape[0] == 7:
        raise RuntimeError("shape with a 7 is not supported")
    return tensor.clone()


def sin(tensor):
    if tensor.shape[0] == 7:
        raise RuntimeError("device error: an illegal memory access was encountered")
    return tensor.clone()


OPERATORS = {"abs": abs, "softmax": softmax, "cumsum": cumsum, "abs_": abs_, "zero_": zero_,
             "exp": exp, "sin": sin}
