"""The timing engine, a shared library in plain C (src/timing/engine_c.h), by ctypes."""

import ctypes
import json

from .access import STRIDE_BYTES

CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Work(ctypes.Structure):
    """zl_timing_work."""

    _fields_ = [("id", ctypes.c_char_p), ("graph", ctypes.c_void_p),
                ("restore_graph", ctypes.c_void_p), ("no_graph", ctypes.c_char_p), ("call", CALL),
                ("prepare", CALL), ("enter", CALL), ("leave", CALL), ("state", ctypes.c_void_p),
                ("escape", ctypes.c_char_p)]


class EngineError(RuntimeError):
    """What the engine could not do; `reason` is its word for programs."""

    def __init__(self, told):
        super().__init__(told["text"])
        self.reason = told["reason"]
        self.ends_the_process = told["class"] == "sticky"


class Engine:
    """On one device, as the process counts them. Raises EngineError when it cannot be opened."""

    def __init__(self, library, family, libraries, device):
        self._library = _declared(ctypes.CDLL(library))
        names = (ctypes.c_char_p * len(libraries))(*(name.encode() for name in libraries))
        self._engine = self._library.zl_timing_open(
            family.encode(), names, len(libraries), device)
        self.facts = _told(self._library.zl_timing_describe(self._engine))

    def watch(self, counter):
        """A ctypes.c_uint64 that changes whenever something compiles or tunes; it must live as long
        as this."""
        self._library.zl_timing_watch_epoch(self._engine, ctypes.byref(counter))

    def audit(self, work, stream):
        """Where the work of its call goes that the stream does not wait for, for the work's
        `escape`."""
        told = _told(self._library.zl_timing_audit(self._engine, ctypes.byref(work), stream))
        return told["escape"]

    def watch_others(self, board):
        """An access.Board; it must live as long as this."""
        self._library.zl_timing_watch_others(
            self._engine, board.address, board.seats, STRIDE_BYTES, board.seat)

    def measure(self, works, stream):
        """`timings`, one for each work, all taken in the same way; `pair` of two, the second over the
        first."""
        array = (Work * len(works))(*works)
        return _told(self._library.zl_timing_measure(
            self._engine, array, len(works), stream, 1, 0.0))


def _declared(library):
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    declarations = {
        "open": (pointer, [text, ctypes.POINTER(text), ctypes.c_size_t, ctypes.c_int]),
        "describe": (text, [pointer]),
        "watch_epoch": (None, [pointer, pointer]),
        "audit": (text, [pointer, ctypes.POINTER(Work), pointer]),
        "watch_others": (None, [pointer, pointer] + 3 * [ctypes.c_size_t]),
        "measure": (text, [pointer, ctypes.POINTER(Work), ctypes.c_size_t, pointer, ctypes.c_int,
                           ctypes.c_double]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(library, f"zl_timing_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _told(line):
    answer = json.loads(line)
    if "error" in answer:
        raise EngineError(answer["error"])
    return answer
