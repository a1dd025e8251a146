"""Streams and graphs of a device module."""

import contextlib
import ctypes
import itertools

from . import _runtime

_handles = itertools.count(0x100, 0x10)


def add_streams_and_graphs(module, word):
    class Stream:
        def __init__(self):
            self.handle = next(_handles)

    setattr(Stream, f"{word}_stream", property(lambda self: self.handle))

    @contextlib.contextmanager
    def stream(wanted):
        before, _runtime.current = _runtime.current, wanted.handle
        try:
            yield
        finally:
            _runtime.current = before

    setattr(Graph, f"raw_{word}_graph", Graph.raw)
    module.Stream, module.stream = Stream, stream
    module.FakeGraph = Graph
    module.graph_pool_handle = lambda: (0, next(_handles))
    module.is_current_stream_capturing = lambda: _runtime.capture is not None


class Graph:
    def __init__(self, keep_graph=False):
        self.keep_graph = keep_graph
        self.ids = []
        self.handle = None

    def capture_begin(self, pool=None, capture_error_mode="global"):
        assert _runtime.capture is None, "a capture is on already"
        assert _runtime.current != 0, "not on the default stream"
        self.stream = _runtime.current
        self.pool = pool
        _runtime.capture = self
        _runtime.has_lost_generator = True
        _runtime.capturing(1)

    def capture_end(self):
        _runtime.capture = None
        rest = ctypes.c_void_p()
        if _runtime.end_capture(self.stream, ctypes.byref(rest)) != 0:
            raise RuntimeError("the capture was invalidated")
        _runtime.has_lost_generator = False
        self.handle = _runtime.captured_work((ctypes.c_uint64 * len(self.ids))(*self.ids),
                                             len(self.ids))

    def replay(self):
        for number in self.ids:
            _runtime.kept[number]()
            _runtime.launch_only()

    def reset(self):
        if self.handle is not None:
            _runtime.destroy_graph(self.handle)
            self.handle = None

    def raw(self):
        assert self.keep_graph and self.handle is not None
        return self.handle

    __del__ = reset
