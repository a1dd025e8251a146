"""The dispatch table: operators by name, each with what a library put in its place."""

import functools
import math

from ._tensor import dispatch_overrides


def _elementwise(function):
    def operator(tensor, *_others):
        made = tensor._made(lambda: map(function, tensor.values()))
        if tensor.requires_grad:
            made._grad_of = ((tensor, tensor.version[0]),)
        return made

    return operator


def _in_place(tensor, *_others):
    tensor.copy_(tensor)
    return tensor


def _matrix_product(left, right):
    return left._made(lambda: [0.0] * (left.shape[0] * right.shape[1]),
                      shape=(left.shape[0], right.shape[1]))


_native = {
    "abs": _elementwise(abs), "exp": _elementwise(lambda value: math.exp(min(value, 9))),
    "gelu": _elementwise(abs), "sin": _elementwise(math.sin), "neg": _elementwise(lambda x: -x),
    "cumsum": _elementwise(abs), "mm": _matrix_product, "zero_": _in_place}


@functools.lru_cache(maxsize=None)
def registered(name):
    if name not in _native:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")

    def operator(*args, **kwargs):
        return dispatch_overrides.get(name, _native[name])(*args, **kwargs)

    operator.__name__ = name
    return operator
