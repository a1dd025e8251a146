"""Calls that a timer can be wrong about, and what is to be said of each."""

import threading

import torch

from kernels import Spin


class Zoo:
    """cases(): name, call, the caliber's timer that is wanted (None: any), a flag that is wanted
    (None: any); an exception's name in the place of the timer where the call must fail."""

    def __init__(self):
        self._x = torch.randn(1 << 20, device="cuda")
        self._host = torch.randn(1 << 16)
        self._stream = torch.cuda.Stream()
        self._cached = self._x + 1
        self._calls = 0

    def _elsewhere(self, spin):
        with torch.cuda.stream(self._stream):
            return spin.call()

    def _in_a_thread(self, spin):
        thread = threading.Thread(target=lambda: self._elsewhere(spin))
        thread.start()
        thread.join()

    def _forked(self, joined):
        here = torch.cuda.current_stream()
        self._stream.wait_stream(here)
        with torch.cuda.stream(self._stream):
            result = self._x * 2
        if joined:
            here.wait_stream(self._stream)
        return result

    def _only_when_captured(self):
        if torch.cuda.is_current_stream_capturing():
            raise ValueError("not while captured")
        return self._x + 1

    def _third_fails(self):
        self._calls += 1
        if self._calls == 3:
            raise ValueError("the third call")
        return self._x + 1

    def _legacy(self):
        with torch.cuda.stream(torch.cuda.default_stream()):
            return self._x + 1

    def cases(self):
        spin, x = Spin(50), self._x
        return [
            (".item()", lambda: x.sum().item(), "direct-sync", None),
            ("allocation in the call", lambda: torch.empty_like(x).copy_(x), "graph-evt", None),
            ("copy of pageable memory", lambda: self._host.to("cuda"), "direct-sync", None),
            ("default stream", self._legacy, "direct-sync", "escaped_work"),
            ("other stream", lambda: self._elsewhere(spin), "direct-sync", "escaped_work"),
            ("other thread", lambda: self._in_a_thread(spin), "direct-sync", "escaped_work"),
            ("forked and joined", lambda: self._forked(True), "graph-evt", None),
            ("forked, not joined", lambda: self._forked(False), "direct-sync", None),
            ("raises while captured", self._only_when_captured, "direct-blk", None),
            ("raises at the third call", self._third_fails, "ValueError", None),
            ("out of memory", lambda: torch.empty(1 << 42, device="cuda"), "OutOfMemoryError", None),
            ("dropout", lambda: torch.nn.functional.dropout(x), "graph-evt", "replay_unchecked"),
            ("only the host works", lambda: sum(range(1000)), None, "host_only"),
            ("cached result", lambda: self._cached, None, "host_only"),
        ]
