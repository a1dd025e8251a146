"""Which Triton kernels each side of each case compiled, loaded from a cache or launched.

Compiled and loaded ones are seen as they are made, while the side is measured. Launches are seen in
one extra call, in the same context: a launch hook costs time, so none is there while anything is
timed."""

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
    launched = None  # by it: identity of the kernel to (kernel, name); None: not known


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
    _recorder.made, _recorder.launched = [], None


def pytest_zlbench_side_warm(case, side, make_call):
    if _recorder.registry is not None:
        _recorder.launched = _launched(_recorder.registry, case, side, make_call)


def pytest_zlbench_side_end(case, side):
    registry, made, launched = _recorder.registry, _recorder.made, _recorder.launched
    _recorder.made, _recorder.launched = [], None
    if registry is None:
        return
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
    channel.send("phase", phase="kernels")
    try:
        call = make_call()
        launches = launches_of(registry.triton, call)
    except _MAY_FAIL as error:
        channel.note("info", "KERNELS_CALL", f"{case.id}, {side}: the call that shows launches "
                                             f"failed: {described_chain(error)}")
        return None
    finally:
        channel.send("phase", phase=case.phase)
    found = {}
    for name, function in launches:
        kernel = registry.find(name, function)
        found[id(kernel) if kernel is not None else name] = (kernel, name)
    return found
