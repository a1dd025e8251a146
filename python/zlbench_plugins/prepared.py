"""One side of a case made ready to be measured: warm, captured where that works, and checked."""

import contextlib

from .capture import CaptureFailed
from .engine import CALL, Work
from .replay_check import ReplayCheck
from .settle import settle
from .tensors import Snapshot, bytes_of, dense_in

_SHARE_OF_FREE_MEMORY = 4  # copies of the inputs must fit in this part


class Side:
    """What is measured: `make_call()` gives the call, `context()` is around everything that calls
    it, `inputs` are the tensors it may read and write. `is_checked`: not where the caller is within
    a context that replaces the framework's operators, for then the checks would measure those.
    `is_made_in_context`: making the call calls what is measured. Entering may take long."""

    def __init__(self, name, make_call, context, inputs, is_checked=True, is_made_in_context=True):
        self.name = name
        self.make_call = make_call
        self.context = context
        self.inputs = inputs
        self.is_checked = is_checked
        self.is_made_in_context = is_made_in_context


class Prepared:
    """Made on the stream that is current, and to be measured there."""

    def __init__(self, framework, side, capturer):
        self.side = side
        self.flags = []
        self.error = None  # what the call raised while the engine called it
        self._framework = framework
        self._capturer = capturer  # None: no graphs
        self._graph = self._put_back = None  # Captured
        self._no_graph = ""
        self._entered = None
        with side.context() if side.is_made_in_context else contextlib.nullcontext():
            self.call = side.make_call()
        self._changed = self._find_changed()
        if capturer is not None:
            capturer.heal(side.is_checked)
        if self._changed.tensors:
            self._settle(self._call_and_restore)
            self._try_capture(side.context)
        else:
            with side.context():
                self._settle(self.call)
                self._try_capture(contextlib.nullcontext)
        if capturer is not None:
            capturer.heal(side.is_checked)
        if self._graph is not None:
            self._check_replay()

    def restore(self):
        """The inputs as they were before anything was called."""
        self._changed.restore()

    def work(self, identifier):
        """For the engine; valid as long as this."""
        def handle(captured):
            return captured.handle if captured else None

        nothing = CALL()
        work = Work(id=identifier.encode(), graph=handle(self._graph),
                    restore_graph=handle(self._put_back), no_graph=self._no_graph.encode(),
                    call=self._guarded(self.call), prepare=nothing,
                    enter=self._guarded(self._enter), leave=self._guarded(self._leave))
        if self._changed.tensors:
            work.prepare = self._guarded(self._changed.restore)
        return work

    def _find_changed(self):
        """What of its inputs a call changes: that is put back before each sample."""
        torch, inputs = self._framework.torch, self.side.inputs
        inputs = dense_in(torch, inputs)
        free = self._framework.free_bytes()
        is_large = free is not None and bytes_of(inputs) * _SHARE_OF_FREE_MEMORY > free
        if is_large or not self.side.is_checked:
            self.flags.append("inputs_unchecked")
            return Snapshot(torch, [])
        before = Snapshot(torch, inputs)
        self._call_in_context()
        self._framework.synchronize()
        changed = before.changed()
        changed.restore()
        return changed

    def _call_and_restore(self):
        self._call_in_context()
        self._changed.restore()

    def _settle(self, call):
        if not settle(self._framework, call):
            self.flags.append("unsettled")

    def _try_capture(self, context):
        if self._capturer is None:
            return
        try:
            self._graph = self._capturer.capture(self.call, context)
            if self._changed.tensors:
                self._put_back = self._capturer.capture(self._changed.restore)
        except CaptureFailed as error:
            self._drop_graph(str(error))

    def _check_replay(self):
        if not self.side.is_checked:
            self.flags.append("replay_unchecked")
            return
        graph = self._graph.graph
        verdict = ReplayCheck(self._framework, self.side.inputs, self._graph.output, graph.replay,
                              self._call_in_context).verdict()
        if verdict.wrong:
            self.flags.append("false_graph")
            self._drop_graph(verdict.wrong)
        elif verdict.unknown:
            self.flags.append("replay_unchecked")

    def _drop_graph(self, reason):
        self._graph = self._put_back = None
        self._no_graph = reason

    def _call_in_context(self):
        with self.side.context():
            return self.call()

    def _enter(self):
        context = self.side.context()
        context.__enter__()
        self._entered = context

    def _leave(self):
        entered, self._entered = self._entered, None
        if entered is not None:
            entered.__exit__(None, None, None)

    def _guarded(self, function):
        def called(_state):
            try:
                function()
                return 0
            except BaseException as error:  # it cannot pass through the engine
                self.error = self.error or error
                return 1

        return CALL(called)
