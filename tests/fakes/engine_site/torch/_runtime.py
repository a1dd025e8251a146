"""The fake driver-level runtime that FAKE_RUNTIME_LIBRARY names, and the stream and capture that
work goes to. What work computes is done at once; in a capture it is kept for the replay."""

import ctypes
import os

_prefix = os.environ["FAKE_RUNTIME_PREFIX"]
_library = ctypes.CDLL(os.environ["FAKE_RUNTIME_LIBRARY"])
_ON_WORK = ctypes.CFUNCTYPE(None, ctypes.c_uint64)

kept = {}       # by id: what a captured kernel computes
current = 0     # handle of the stream
capture = None  # the graph that is being captured, if any
has_lost_generator = False  # a capture that failed takes it, the next one gives it back


def entry(name, *argtypes, result=ctypes.c_int):
    function = getattr(_library, _prefix + name)
    function.argtypes, function.restype = argtypes, result
    return function


_pointer = ctypes.c_void_p
_launch = entry("LaunchKernel", _pointer, *[ctypes.c_uint] * 7, *[_pointer] * 3)
_work = entry("WorkKernel", result=_pointer)()
_synchronize = entry("StreamSynchronize", _pointer)
_synchronize_all = entry("CtxSynchronize")
_on_work = _ON_WORK(lambda number: kept[number]())
entry("OnWork", _ON_WORK, result=None)(_on_work)
capturing = entry("Capturing", ctypes.c_int, result=None)
end_capture = entry("StreamEndCapture", _pointer, ctypes.POINTER(_pointer))
captured_work = entry("CapturedWork", ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t,
                      result=_pointer)
destroy_graph = entry("GraphDestroy", _pointer)
die_at_work = entry("DieAtWork", ctypes.c_int, result=None)
side_stream = entry("SideStream", _pointer, result=None)


def check(status):
    if status != 0:
        raise RuntimeError(f"device error {status}")


def launch(compute):
    """One kernel."""
    if capture is not None and capture.stream == current:
        capture.ids.append(len(kept) + 1)
        kept[len(kept) + 1] = compute
        return
    compute()
    launch_only()


def launch_only():
    check(_launch(_work, *[1] * 6, 0, current, None, None))


def synchronize():
    """As a call that needs a result on the host does."""
    refuse_in_capture()
    check(_synchronize(current))


def synchronize_all():
    refuse_in_capture()
    check(_synchronize_all())


def refuse_in_capture():
    if capture is not None:
        capturing(2)
        raise RuntimeError("operation not permitted when stream is capturing")
