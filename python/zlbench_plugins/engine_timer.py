"""Measures the sides of a case through the timing engine: both in the same way, within the same
visits."""

import contextlib

from .access import access
from .capture import Capturer
from .collector import no_collection
from .disturbance import counter
from .engine import Engine
from .engine_work import EngineWork
from .framework import Framework, HostFramework
from .identity import identity
from .plan import plan
from .prepared import Prepared


class EngineTimer:
    """One a process. Raises engine.EngineError when the engine cannot be opened."""

    def __init__(self, torch):
        kind = HostFramework if plan.timer == "host" else Framework
        self._framework = kind(torch, plan.torch_device)
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

    def prepare(self, side, observe):
        """`observe(call)` may call once, in the side's context, when the call is warm. Where others
        are at work on the device, the engine looks for escaped work only when it measures."""
        def audit(call):
            observe(call)
            return None if access.board else self._audit(side.name, call)

        with self.on_its_stream():
            return Prepared(self._framework, side, self._capturer, audit)

    def measure(self, case_id, prepared):
        """The engine's answer, timings in the order of `prepared`; what a call raised is raised
        again, and is in its `error`."""
        works = [EngineWork.of(one, f"{case_id}/{one.side.name}") for one in prepared]
        try:
            with self.put_back(prepared), no_collection():
                return self._engine.measure([work.work for work in works], self._stream_handle())
        except RuntimeError:
            for one, work in zip(prepared, works):
                one.error = work.error
                if work.error is not None:
                    raise work.error from None
            raise

    def _audit(self, name, call):
        work = EngineWork(name, call)
        try:
            with no_collection():
                return self._engine.audit(work.work, self._stream_handle())
        except RuntimeError:
            if work.error is not None:
                raise work.error from None
            raise

    def _stream_handle(self):
        return self._framework.handle_of(self._stream)
