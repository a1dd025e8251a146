"""Which Triton kernels each side of each case compiled, loaded from a cache or launched.

Compiled and loaded ones are seen as they are made, while the side is measured. Launches are seen in
one extra call after the measurement, in the same context: a launch hook costs time, so none is
there while anything is timed."""

import sys

import pytest

from . import aside, disturbance
from .channel import channel
from .failures import described_chain
from .triton_kernels import Registry, fields_of, launches_of

_MAY_FAIL = (Exception, pytest.fail.Exception, pytest.skip.Exception)


class _Recorder:
    registry = None
    made = ()  # kernels of the side that is running


_recorder = _Recorder()


@pytest.hookimpl(trylast=True)
def pytest_configure():
    triton = sys.modules.get("triton")
    if triton is None:
        return
    try:
        _recorder.registry = Registry(triton, _seen)
        aside.install(triton)
        _recorder.made = []
    except Exception as error:
        channel.note("warning", "KERNELS", f"this triton's kernels cannot be seen: "
                                           f"{described_chain(error)}")


def _seen(kernel):
    _recorder.made.append(kernel)
    disturbance.note()


def pytest_zlbench_side_begin():
    _recorder.made = []


def pytest_zlbench_side_end(case, side, make_call):
    registry, made = _recorder.registry, _recorder.made
    _recorder.made = []
    if registry is None:
        return
    launched = _launched(registry, case, side, make_call) if make_call else None
    for kernel in made:
        fields = fields_of(kernel, registry)
        if launched is not None:
            fields["launched"] = launched.pop(id(kernel), None) is not None
        channel.send("kernel", case=case.id, side=side, **fields)
    for kernel, name in (launched or {}).values():
        fields = fields_of(kernel, registry) if kernel is not None else {"name": name}
        fields.pop("compiled", None)  # an earlier case made it
        channel.send("kernel", case=case.id, side=side, **{**fields, "launched": True})


def _launched(registry, case, side, make_call):
    """Identity of the kernel to (kernel, name); None when the extra call failed."""
    channel.send("phase", phase="kernels")
    try:
        call = make_call()
        launches = launches_of(registry.triton, call)
    except _MAY_FAIL as error:
        channel.note("info", "KERNELS_CALL", f"{case.id}, {side}: the call that shows launches "
                                             f"failed: {described_chain(error)}")
        return None
    found = {}
    for name, function in launches:
        kernel = registry.find(name, function)
        found[id(kernel) if kernel is not None else name] = (kernel, name)
    return found
