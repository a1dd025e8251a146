import os
import types

from . import jit  # noqa: F401
from .autotuner import Autotuner  # noqa: F401

# As the machine would be that GEMS_VENDOR speaks of; FAKE_TRITON_TARGET is another one's compiler.
_TARGETS = {"amd": "hip", "mthreads": "musa", "ascend": "npu"}


def _target():
    backend = os.environ.get("FAKE_TRITON_TARGET") or _TARGETS.get(
        os.environ.get("GEMS_VENDOR", ""), "cuda")
    if backend == "none":
        raise RuntimeError("0 active drivers ([]). There should only be one.")
    return types.SimpleNamespace(backend=backend, arch="90", warp_size=32)


driver = types.SimpleNamespace(active=types.SimpleNamespace(get_current_target=_target))
