"""What this child may do on its device, by leave of zlbench (docs/child-protocol.md): nothing, work
beside the other children, or, alone, measure.

Whoever holds the device leaves it quiet before he gives it back: what was launched is done."""

import contextlib
import ctypes
import mmap
import os
import sys
import threading

from .channel import channel
from .plan import plan

STRIDE_BYTES = 64  # from one child's counter to the next


class Board:
    """The counters of the children of this device: odd while one is at work there."""

    def __init__(self, descriptor, seat, seats):
        memory = mmap.mmap(descriptor, seats * STRIDE_BYTES)
        self.seat, self.seats = seat, seats
        self._counters = [ctypes.c_uint64.from_buffer(memory, place * STRIDE_BYTES)
                          for place in range(seats)]
        self.address = ctypes.addressof(self._counters[0])

    def note(self):
        """At the begin and at the end of work."""
        self._counters[self.seat].value += 1

    def others(self):
        return [counter.value for place, counter in enumerate(self._counters)
                if place != self.seat]


class Access:
    """`held` is "", "device" or "lease"."""

    def __init__(self, board):
        self.board = board  # None: nobody shares the device
        self.held = ""
        self._bound = 0

    def share(self):
        """Work beside the others; no less than what is held. False: told to stop, or nobody
        listens."""
        return self._take("device") if not self.held else self._is_served()

    def lease(self):
        """Alone on the device. What was held is given back first."""
        if self.held == "lease":
            return self._is_served()
        if self.held:
            self._end()  # the wish itself tells the parent
        return self._take("lease")

    def leave(self):
        if self.held:
            held = self.held
            self._end()
            channel.send(f"{held}_released")

    @contextlib.contextmanager
    def bound(self):
        """Within it the device is not left for a while: a graph is captured."""
        self._bound += 1
        try:
            yield
        finally:
            self._bound -= 1

    def others(self):
        """The counters of the other children of this device."""
        return self.board.others() if self.board else []

    def may_step_aside(self):
        is_main = threading.current_thread() is threading.main_thread()
        return self.held == "device" and not self._bound and is_main

    def _take(self, what):
        if not channel.ask(f"{what}_wanted", f"{what}_granted"):
            return False
        self.held = what
        if self.board:
            self.board.note()
        return True

    def _end(self):
        self.held = ""
        torch = sys.modules.get("torch")
        with contextlib.suppress(Exception):  # a device that is lost is quiet
            getattr(torch, plan.torch_device).synchronize()
        if self.board:
            self.board.note()

    @staticmethod
    def _is_served():
        return channel.open and not channel.stop_wanted


def _opened():
    seat = plan.fields.get("seat") or {}
    try:
        descriptor = int(os.environ.pop("ZL_BOARD_FD"))
        os.set_inheritable(descriptor, False)
        return Board(descriptor, seat["index"], seat["of"])
    except (KeyError, ValueError, OSError, TypeError):
        return None


access = Access(_opened())
