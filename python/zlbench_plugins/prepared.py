"""One side of a case made ready to be measured: warm, captured where that works, and checked."""

import contextlib

from .capture import CaptureFailed
from .replay_check import ReplayCheck
from .settle import settle
from .tensors import Snapshot, bytes_of, dense_in

_SHARE_OF_FREE_MEMORY = 4  # copies of the inputs must fit in this part
_unchanging = set()  # kinds of sides whose call left its inputs alone


class Side:
    """What is measured: `make_call()` gives the call, `context()` is around everything that calls
    it, `inputs` are the tensors it may read and write. Sides of one `kind` run the same operator.
    `is_checked`: not where the caller is within a context that replaces the framework's operators,
    for then the checks would measure those. `is_made_in_context`: making the call calls what is
    measured."""

    def __init__(self, name, kind, make_call, context, inputs, is_checked=True,
                 is_made_in_context=True):
        self.name = name
        self.kind = kind
        self.make_call = make_call
        self.context = context
        self.inputs = inputs
        self.is_checked = is_checked
        self.is_made_in_context = is_made_in_context


class Prepared:
    """Made on the stream that is current, and to be measured there. `audit(call)` is asked in the
    context, when the call is warm: it may call, and says where the call's work escapes to; None:
    it is to be asked later."""

    def __init__(self, framework, side, capturer, audit):
        self.side = side
        self.flags = []
        self.graph = self.put_back = None  # Captured
        self.no_graph = ""
        self.escape = None
        self.error = None  # what it raised while the engine called it
        self._framework = framework
        self._capturer = capturer  # None: no graphs
        self._audit = audit
        self._changed = Snapshot(framework.torch, [])
        with side.context() if side.is_made_in_context else contextlib.nullcontext():
            self.call = side.make_call()
        self._heal()
        self._make_ready()
        self._heal()
        if self.graph is not None:
            self._check_replay()

    @property
    def changes_inputs(self):
        return bool(self._changed.tensors)

    def restore(self):
        """The inputs as they were before anything was called."""
        self._changed.restore()

    def _make_ready(self):
        """Entering a context may take longer than all that is done in it: what leaves its inputs
        alone, as the last one of its kind did, is made ready within one."""
        before = self._inputs_now()
        if self.side.kind not in _unchanging:
            self._call_in_context()
            self._find_changed(before)
        if not self.changes_inputs:
            with self.side.context():
                self._settle(self.call)
                self.escape = self._audit(self.call)
                self._try_capture()
            self._find_changed(before)
        if self.changes_inputs:
            self._make_ready_restoring()

    def _make_ready_restoring(self):
        self._settle(self._call_and_restore)
        with self.side.context():
            self.escape = self._audit(self.call)
        self._changed.restore()
        with self.side.context():
            self._try_capture()
        try:
            self.put_back = self._capturer and self._capturer.capture(self._changed.restore)
        except CaptureFailed as error:
            self._drop_graph(str(error))

    def _inputs_now(self):
        torch, inputs = self._framework.torch, dense_in(self._framework.torch, self.side.inputs)
        free = self._framework.free_bytes()
        is_large = free is not None and bytes_of(inputs) * _SHARE_OF_FREE_MEMORY > free
        if is_large or not self.side.is_checked:
            self.flags.append("inputs_unchecked")
            return Snapshot(torch, [])
        return Snapshot(torch, inputs)

    def _find_changed(self, before):
        """What of its inputs a call changes: that is put back before each sample."""
        self._framework.synchronize()
        self._changed = before.changed()
        self._changed.restore()
        (_unchanging.discard if self.changes_inputs else _unchanging.add)(self.side.kind)

    def _call_in_context(self):
        with self.side.context():
            return self.call()

    def _call_and_restore(self):
        self._call_in_context()
        self._changed.restore()

    def _settle(self, call):
        if not settle(self._framework, call) and "unsettled" not in self.flags:
            self.flags.append("unsettled")

    def _heal(self):
        if self._capturer is not None:
            self._capturer.heal(self.side.is_checked)

    def _try_capture(self):
        if self._capturer is None:
            return
        try:
            self.graph = self._capturer.capture(self.call)
            self.no_graph = ""
        except CaptureFailed as error:
            self._drop_graph(str(error))

    def _check_replay(self):
        if not self.side.is_checked:
            self.flags.append("replay_unchecked")
            return
        verdict = ReplayCheck(self._framework, self.side.inputs, self.graph.output,
                              self.graph.graph.replay, self._call_in_context).verdict()
        if verdict.wrong:
            self.flags.append("false_graph")
            self._drop_graph(verdict.wrong)
        elif verdict.unknown:
            self.flags.append("replay_unchecked")

    def _drop_graph(self, reason):
        self.graph = self.put_back = None
        self.no_graph = reason
