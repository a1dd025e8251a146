"""What needs no device while this child has one, and what needs it alone: a kernel is compiled with
the device given back to the others, and tuned under the lease."""

import functools

from .access import access


def install(triton):
    """By the names of triton 3; where one of them is missing nothing is given back, or nothing is
    tuned."""
    compiler = getattr(triton, "compiler", None)
    if hasattr(compiler, "compile"):
        compiler.compile = _comes_back(compiler.compile)
    for backend in getattr(getattr(triton, "backends", None), "backends", {}).values():
        # Called once a kernel that no cache has, before its first stage.
        if "add_stages" in vars(backend.compiler):
            backend.compiler.add_stages = _steps_aside(backend.compiler.add_stages)
    tuner = getattr(getattr(triton, "runtime", None), "Autotuner", None)
    if hasattr(tuner, "_bench"):
        tuner._bench = _alone(tuner._bench)


def _steps_aside(original):
    @functools.wraps(original)
    def add_stages(*args, **kwargs):
        if access.may_step_aside():
            access.leave()
            _state.is_aside = True
        return original(*args, **kwargs)

    return add_stages


def _comes_back(original):
    @functools.wraps(original)
    def compile(*args, **kwargs):
        try:
            return original(*args, **kwargs)
        finally:
            if _state.is_aside:
                _state.is_aside = False
                access.share()

    return compile


def _alone(original):
    """The lease stays with the child until it has measured: tuned and timed in one go."""
    @functools.wraps(original)
    def _bench(*args, **kwargs):
        if access.held:
            access.lease()
        return original(*args, **kwargs)

    return _bench


class _state:
    is_aside = False
