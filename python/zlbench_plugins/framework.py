"""The framework's words for streams, graphs and memory, found by their shape: a device's module is
torch.<word>, whatever the word."""

import contextlib
import inspect
import os
import re


class NoGraphs(Exception):
    """Its text says what the framework lacks."""


class Framework:
    def __init__(self, torch, word):
        self.torch = torch
        self.word = word
        self.module = getattr(torch, word)

    def new_stream(self):
        return self.module.Stream()

    def on(self, stream):
        return self.module.stream(stream)

    def handle_of(self, stream):
        """The runtime's own handle."""
        return int(getattr(stream, f"{self.word}_stream"))

    def synchronize(self):
        self.module.synchronize()

    def device(self):
        """The current one, as the process counts them."""
        return int(self.module.current_device())

    def free_bytes(self):
        """None where the framework does not say."""
        info = getattr(self.module, "mem_get_info", None)
        return int(info()[0]) if info else None

    def reserved_bytes(self):
        """What its allocator holds; a call that changes it has asked the driver for memory."""
        reserved = getattr(self.module, "memory_reserved", None)
        return int(reserved()) if reserved else 0

    def new_graph(self):
        """A graph that keeps what it captured, so that the handle of it can be had."""
        for value in vars(self.module).values():
            if isinstance(value, type) and hasattr(value, "capture_begin"):
                if _raw_name(value) is None:
                    raise NoGraphs(f"{value.__name__} gives no handle of what it captured")
                return value(keep_graph=True)
        raise NoGraphs(f"torch.{self.word} has no class that captures a graph")


class HostFramework(Framework):
    """Where the device is the processor: a call has done its work when it returns."""

    def new_stream(self):
        return None

    def on(self, stream):
        return contextlib.nullcontext()

    def handle_of(self, stream):
        return None

    def synchronize(self):
        pass

    def device(self):
        return 0

    def free_bytes(self):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def reserved_bytes(self):
        return 0


def begin_capture(graph):
    """Only this thread's calls may break the capture: another thread's allocation may not. Each
    graph has memory of its own: a pool ends with the last graph in it, and its handle is useless
    then."""
    try:
        known = inspect.signature(graph.capture_begin).parameters
    except (TypeError, ValueError):  # compiled, without a signature
        known = ("capture_error_mode",)
    mode = {"capture_error_mode": "thread_local"} if "capture_error_mode" in known else {}
    graph.capture_begin(**mode)


def raw_graph(graph):
    return int(getattr(graph, _raw_name(type(graph)))())


def _raw_name(graph_class):
    names = [name for name in dir(graph_class) if re.fullmatch(r"raw_\w*graph", name)]
    return names[0] if names else None
