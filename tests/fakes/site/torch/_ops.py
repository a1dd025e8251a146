"""The dispatch table: operators by name, each with what a library put in its place."""

import functools

dispatch_overrides = {}


def _elementwise(tensor, *others, **options):
    return options.get("out", tensor.clone())


def _in_place(tensor, *others):
    return tensor


def _matrix_product(left, right):
    return left.__class__((left.shape[0], right.shape[1]), left.dtype, left.device)


_native = {
    "abs": _elementwise, "add": _elementwise, "softmax": _elementwise, "sum": _elementwise,
    "gelu": _elementwise, "exp": _elementwise, "sin": _elementwise, "cumsum": _elementwise,
    "abs_": _in_place, "zero_": _in_place, "mm": _matrix_product,
}


@functools.lru_cache(maxsize=None)
def registered(name):
    if name not in _native:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")

    def operator(*args, **kwargs):
        return dispatch_overrides.get(name, _native[name])(*args, **kwargs)

    operator.__name__ = name
    return operator
