"""A prepared side as the engine calls it."""

from .engine import CALL, Work


class EngineWork:
    """`work` is valid as long as this."""

    def __init__(self, prepared, identifier):
        self._prepared = prepared
        self._context = prepared.side.context
        self._entered = None
        nothing = CALL()
        self.work = Work(id=identifier.encode(), graph=_handle(prepared.graph),
                         restore_graph=_handle(prepared.put_back),
                         no_graph=prepared.no_graph.encode(), call=self._guarded(prepared.call),
                         prepare=nothing, enter=self._guarded(self._enter),
                         leave=self._guarded(self._leave))
        if prepared.changes_inputs:
            self.work.prepare = self._guarded(prepared.restore)

    def _enter(self):
        context = self._context()
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
                self._prepared.error = self._prepared.error or error
                return 1

        return CALL(called)


def _handle(captured):
    return captured.handle if captured else None
