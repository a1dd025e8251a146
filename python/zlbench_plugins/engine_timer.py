"""Measures the sides of a case through the timing engine: both in the same way, within the same
visits."""

import contextlib
import gc

from .access import access
from .capture import Capturer
from .disturbance import counter
from .engine import Engine
from .framework import Framework
from .identity import identity
from .plan import plan
from .prepared import Prepared


class EngineTimer:
    """One a process. Raises engine.EngineError when the engine cannot be opened."""

    def __init__(self, torch):
        self._framework = Framework(torch, plan.torch_device)
        wanted = plan.engine
        self._engine = Engine(wanted["library"], wanted["family"], wanted["libraries"],
                              self._framework.device())
        self._engine.watch(counter)
        if access.board:
            self._engine.watch_others(access.board)
        self._stream = self._framework.new_stream()
        self._capturer = None
        if plan.timer == "graph":
            self._capturer = Capturer(self._framework)
        identity.put("timing_engine", self._engine.facts)
        identity.send()

    @contextlib.contextmanager
    def on_its_stream(self):
        """What came before on the other streams is done, and nothing of ours is left after it."""
        self._framework.synchronize()
        with self._framework.on(self._stream):
            yield
        self._framework.synchronize()

    @contextlib.contextmanager
    def put_back(self, prepared):
        """For calls outside of a measurement: their inputs are afterwards as they were before."""
        with self.on_its_stream():
            try:
                yield
            finally:
                for one in prepared:
                    one.restore()

    def prepare(self, side):
        with self.on_its_stream():
            return Prepared(self._framework, side, self._capturer)

    def measure(self, case_id, prepared):
        """The engine's answer, timings in the order of `prepared`; what a call raised is raised again."""
        works = [one.work(f"{case_id}/{one.side.name}") for one in prepared]
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            with self.put_back(prepared):
                return self._engine.measure(works, self._framework.handle_of(self._stream))
        except RuntimeError:
            for one in prepared:
                if one.error is not None:
                    raise one.error from None
            raise
        finally:
            if was_enabled:
                gc.enable()
