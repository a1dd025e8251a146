"""A stand-in for torch: tensors that know their shape and dtype and hold no data, device modules
whose words FAKE_TORCH_DEVICES gives, and a dispatch table that a library can take over."""

import os
import types

from . import autograd  # noqa: F401
from ._device import make_device_module
from ._dtype import dtype, finfo, iinfo  # noqa: F401
from ._ops import dispatch_overrides, registered  # noqa: F401
from ._tensor import Size, Tensor, is_floating_point, is_tensor  # noqa: F401

__version__ = "2.11.0+fake"
# FAKE_TORCH_RUNTIMES="cuda=13.0": what this torch says that it was built for.
version = types.SimpleNamespace(git_version="none", debug=False, **dict(
    pair.split("=") for pair in os.environ.get("FAKE_TORCH_RUNTIMES", "").split()))

for _name in ("float16", "float32", "float64", "bfloat16", "complex64", "int8", "int16", "int32",
              "int64", "uint8", "bool"):
    globals()[_name] = dtype(_name)
cfloat = globals()["complex64"]

for _word in ("cpu", *os.environ.get("FAKE_TORCH_DEVICES", "cuda").split()):
    globals()[_word] = make_device_module(_word)


def empty(shape, dtype=None, device="cpu"):
    return Tensor(shape, dtype or globals()["float32"], device)


def ones(shape, dtype=None, device="cpu"):
    """Fails where FAKE_LOST_FOLDER has a file of the visible devices' name: the device is lost."""
    lost = os.path.join(os.environ.get("FAKE_LOST_FOLDER", ""),
                        "lost-" + os.environ.get("CHIP_VISIBLE_DEVICES", ""))
    if os.path.exists(lost):
        raise RuntimeError("the device does not answer")
    result = empty(shape, dtype, device)
    result.value = 1.0
    return result


def randn(shape, dtype=None, device="cpu"):
    return empty(shape, dtype, device)


def randint(low, high, size, dtype=None, device="cpu"):
    return empty(size, dtype or globals()["int64"], device)


def empty_like(tensor):
    return empty(tensor.shape, tensor.dtype, tensor.device)


def randn_like(tensor):
    return empty_like(tensor)


def __getattr__(name):
    """Operators: torch.abs and the like."""
    return registered(name)
