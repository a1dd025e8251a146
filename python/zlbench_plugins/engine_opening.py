"""Opens the timing engine, or says why the corpus' own timer measures."""

import sys

from .channel import channel
from .failures import described
from .plan import plan


def opened_engine():
    """An engine_timer.EngineTimer; None where nobody asked for the engine by name and it cannot be
    opened. Raises what it raises else."""
    from .engine import EngineError
    from .engine_timer import EngineTimer

    try:
        return EngineTimer(sys.modules["torch"])
    except (EngineError, OSError) as error:
        if plan.engine.get("required", True) or getattr(error, "ends_the_process", False):
            raise
        channel.note("warning", "ENGINE", f"the timing engine cannot be used, the corpus' own "
                                          f"timer measures: {described(error)}")
        return None
