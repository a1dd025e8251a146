"""Whether a captured graph does what the call does: replayed on other inputs it must give what the
call gives on them. A call that did its work elsewhere, or whose results were made before, shows
here."""

from .failures import described_chain
from .tensors import Snapshot, bytes_of, dense_in, is_close, is_same, poison, reverse, tensors_in

_SHARE_OF_FREE_MEMORY = 8  # the copies must fit in this part


class Verdict:
    """`wrong` says what is wrong with the graph; `unknown` why it could not be told."""

    def __init__(self, wrong="", unknown=""):
        self.wrong = wrong
        self.unknown = unknown


class ReplayCheck:
    """`replay` runs the graph once, `call` the call; `output` is what the graph writes to."""

    def __init__(self, framework, inputs, output, replay, call):
        self._framework = framework
        self._torch = framework.torch
        self._replay = replay
        self._call = call
        self._inputs = dense_in(self._torch, inputs)
        self._outputs = tensors_in(self._torch, output)
        places = {_place(tensor) for tensor in inputs if tensor.layout == self._torch.strided}
        self._fresh = [tensor for tensor in dense_in(self._torch, self._outputs)
                       if _place(tensor) not in places]

    def verdict(self):
        """Leaves the inputs and what the graph writes to as they were."""
        if not self._outputs and not self._inputs:
            return Verdict(unknown="the call has no tensors to look at")
        free = self._framework.free_bytes()
        needed = bytes_of(self._inputs) + bytes_of(self._outputs)
        if free is not None and needed * _SHARE_OF_FREE_MEMORY > free:
            return Verdict(unknown="its tensors are too large to be copied")
        before = Snapshot(self._torch, self._inputs)
        results = Snapshot(self._torch, self._fresh)
        try:
            return self._judged(before)
        except Exception as error:  # a kind of tensor that cannot be copied or compared
            return Verdict(unknown=described_chain(error))
        finally:
            before.restore()
            results.restore()
            self._framework.synchronize()

    def _judged(self, before):
        self._replay()
        old = self._seen(self._outputs)
        before.restore()
        # Integers may be indices or offsets: in another order they may lead out of bounds.
        reverse(self._torch, [x for x in self._inputs if x.is_floating_point()])
        moved = Snapshot(self._torch, self._inputs)
        poisoned = poison(self._torch, self._fresh)
        self._replay()
        new = self._seen(self._outputs)
        unwritten = [is_same(self._torch, *pair)
                     for pair in zip(self._fresh, poisoned.copies)]
        wanted = self._called(moved)
        if self._agree(new, wanted):
            return Verdict()
        again = self._called(moved)
        if not self._agree(again, wanted):
            return Verdict(unknown="the call gives other results each time")
        if unwritten and all(unwritten):
            return Verdict("the captured graph leaves its output unwritten: the call did the work "
                           "elsewhere")
        results = slice(len(self._outputs))  # the inputs differ
        if self._agree(new[results], old[results]):
            return Verdict("the captured graph gives the results of the inputs it was captured "
                           "with: they were made before, or on the host")
        return Verdict("the captured graph gives other results than the call")

    def _called(self, inputs):
        inputs.restore()
        return self._seen(tensors_in(self._torch, self._call()))

    def _seen(self, outputs):
        """Copies of the results, and of the inputs, which a call may write to."""
        self._framework.synchronize()
        return Snapshot(self._torch, [*outputs, *self._inputs]).copies

    def _agree(self, one, other):
        return len(one) == len(other) and all(
            is_close(self._torch, *pair) for pair in zip(one, other))


def _place(tensor):
    return tensor.untyped_storage().data_ptr()
