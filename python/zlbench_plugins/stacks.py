"""The Python stacks of this process, on demand: for one that hangs (docs/child-protocol.md)."""

import faulthandler
import signal
import sys

_SIGNAL = signal.SIGUSR1


def register():
    """The signal that writes them. By C code alone: also where the interpreter's lock is held."""
    faulthandler.register(_SIGNAL, file=sys.__stderr__, all_threads=True)
    return int(_SIGNAL)
