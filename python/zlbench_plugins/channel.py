"""The child's end of the channel to zlbench: one JSON object a line (docs/child-protocol.md).

A channel that is missing, or whose other end is gone, is silent: nothing here raises for it.
"""

import json
import os
import select
import signal
import socket
import threading

from .wire import MAX_LINE_BYTES, encoded

PROTOCOL = 1


class Channel:
    def __init__(self, connection):
        self._socket = connection
        self._lock = threading.Lock()
        self._incoming = b""
        self._skipping = False  # inside a line that was over the limit
        self._granted = ""
        self._said_bye = False
        self.stop_wanted = False

    @property
    def open(self):
        return self._socket is not None

    @property
    def said_bye(self):
        return self._said_bye

    def send(self, kind, **fields):
        if self._socket is None or self._said_bye:
            return
        line = encoded({"type": kind, **fields})
        # A TERM waits for the line's end: its handler says bye.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        try:
            with self._lock:
                if self._socket is not None and not self._said_bye:
                    self._socket.sendall(line)
        except OSError:
            self.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def note(self, level, code, text):
        self.send("note", level=level, code=code, text=text)

    def bye(self, **fields):
        """The last line. Only the first call counts."""
        self.send("bye", **fields)
        self._said_bye = True

    def ask(self, wanted, granted):
        """Sends the wish and waits for its answer. False: told to stop, or nobody listens. There is
        no time limit: the parent ends the wait by an answer or by closing."""
        self._granted = ""  # a grant that nobody asked for is none
        self.send(wanted)
        while self.open and not self.stop_wanted and self._granted != granted:
            self._pump(None)
        return self.open and not self.stop_wanted

    def poll(self):
        """Takes in what the parent has said since, without waiting."""
        while self._pump(0):
            pass

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _pump(self, timeout_ms):
        """Reads once; False when there was nothing to read."""
        try:
            if self._socket is None or not self._readable(timeout_ms):
                return False
            chunk = self._socket.recv(1 << 16)
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
            return False
        *lines, self._incoming = (self._incoming + chunk).split(b"\n")
        for line in lines:
            if not self._skipping:
                self._take(line)
            self._skipping = False
        if len(self._incoming) > MAX_LINE_BYTES:
            self._incoming, self._skipping = b"", True
        return True

    def _readable(self, timeout_ms):
        waiter = select.poll()
        waiter.register(self._socket, select.POLLIN)
        return bool(waiter.poll(timeout_ms))

    def _take(self, line):
        try:
            message = json.loads(line)
            kind = message["type"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if kind == "stop":
            self.stop_wanted = True
        elif kind in ("device_granted", "lease_granted"):
            self._granted = kind


def _opened():
    try:
        connection = socket.socket(fileno=int(os.environ.pop("ZL_CHANNEL_FD")))
        connection.setblocking(True)
        connection.set_inheritable(False)
    except (KeyError, ValueError, OSError):
        connection = None
    result = Channel(connection)
    os.register_at_fork(after_in_child=result.close)
    return result


channel = _opened()
