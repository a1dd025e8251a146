"""The counters of the children of a device, as zlbench shares them."""

import ctypes
import mmap
import os


class Board:
    """For three children; the one under test sits on seat 1."""

    SEAT = {"index": 1, "of": 3}

    def __init__(self):
        self.descriptor = os.memfd_create("board", 0)
        os.set_inheritable(self.descriptor, True)
        os.ftruncate(self.descriptor, 3 * 64)
        memory = mmap.mmap(self.descriptor, 3 * 64)
        self.counters = [ctypes.c_uint64.from_buffer(memory, 64 * place) for place in range(3)]

    def values(self):
        return [counter.value for counter in self.counters]
