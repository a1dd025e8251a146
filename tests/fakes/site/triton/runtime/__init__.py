import types

from . import jit  # noqa: F401

_target = types.SimpleNamespace(backend="fake", arch="90", warp_size=32)
driver = types.SimpleNamespace(
    active=types.SimpleNamespace(get_current_target=lambda: _target))
