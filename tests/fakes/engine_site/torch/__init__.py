"""A stand-in for torch whose tensors hold data and whose operators launch kernels of the fake
runtime, one each; for the rest it is as the stand-in without data."""

import contextlib
import importlib.util
import math
import os
import pathlib
import types

from . import _runtime, autograd  # noqa: F401
from ._graph import add_streams_and_graphs
from ._ops import registered
from ._runtime import launch  # noqa: F401
from ._tensor import (Size, Tensor, _not_for_the_library, dispatch_overrides,  # noqa: F401
                      inside_library, sparse, strided)


def _of_the_plain_site(name):
    path = pathlib.Path(__file__).parents[2] / "site" / "torch" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"torch.plain{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


dtype = _of_the_plain_site("_dtype").dtype
__version__ = "2.11.0+fake"
version = types.SimpleNamespace(git_version="none", debug=False)

for _name in ("float16", "float32", "float64", "bfloat16", "complex64", "int8", "int16", "int32",
              "int64", "uint8", "bool"):
    globals()[_name] = dtype(_name)

for _word in ("cpu", *os.environ.get("FAKE_TORCH_DEVICES", "cuda").split()):
    _module = globals()[_word] = _of_the_plain_site("_device").make_device_module(_word)
    _module.free_bytes = 1 << 30
    _module.synchronize = _runtime.synchronize_all
    _module.memory_reserved = lambda: 0
    _module.mem_get_info = lambda module=_module: (module.free_bytes, 1 << 30)
    add_streams_and_graphs(_module, _word)


@contextlib.contextmanager
def no_grad():
    yield


def tensor(values, dtype=None, device="cpu"):
    """Made on the host: no kernel."""
    return Tensor(values, len(values), dtype or globals()["float32"])


def empty(shape, dtype=None, device="cpu"):
    size = Size([shape] if isinstance(shape, int) else shape)
    return Tensor([0.0] * size.numel(), size, dtype or globals()["float32"])


def ones(shape, dtype=None, device="cpu"):
    return empty(shape, dtype).fill_(1.0)


def empty_like(other):
    return empty(other.shape, other.dtype)


_random = {"seed": 1}


def _next_value():
    _random["seed"] = _random["seed"] * 16807 % 2147483647
    return _random["seed"] / 2147483647


def rand(shape, dtype=None, device="cpu"):
    _not_for_the_library("rand")
    if _runtime.has_lost_generator and _runtime.capture is None:
        raise RuntimeError("the generator is in use by a capture")
    made = empty(shape, dtype)
    launch(lambda: made.write([_next_value() for _ in range(made.numel())]))
    return made


def randn(shape, dtype=None, device="cpu"):
    made = empty(shape, dtype)
    launch(lambda: made.write([_next_value() + 0.5 for _ in range(made.numel())]))
    return made


def randn_like(other):
    return randn(other.shape, other.dtype)


def randint(low, high, size, dtype=None, device="cpu"):
    count = Size(size).numel()
    values = [low + i % (high - low) for i in range(count)]
    return Tensor(values, size, dtype or globals()["int64"])


def is_tensor(value):
    return isinstance(value, Tensor)


def is_floating_point(value):
    return value.is_floating_point()


def equal(one, other):
    _not_for_the_library("equal")
    _runtime.synchronize()
    return one.shape == other.shape and one.values() == other.values()


def allclose(one, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    _not_for_the_library("allclose")
    _runtime.synchronize()
    return all((equal_nan and math.isnan(a) and math.isnan(b)) or a == b
               or abs(a - b) <= atol + rtol * abs(b)
               for a, b in zip(one.values(), other.values()))


def isfinite(value):
    _not_for_the_library("isfinite")
    return value._made(lambda: map(math.isfinite, value.values()), bool)  # noqa: F821


def __getattr__(name):
    """Operators: torch.abs and the like."""
    return registered(name)
