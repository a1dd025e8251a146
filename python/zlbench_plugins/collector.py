"""Python's garbage collector, kept from running at the wrong moment."""

import contextlib
import gc


@contextlib.contextmanager
def no_collection():
    """It would take its time from what is measured, and within a capture free modules and tensors,
    which is not allowed there."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
