"""A prepared side, or a call alone, as the engine calls it."""

from .engine import CALL, Work


class EngineWork:
    """`work` is valid as long as this. `error` is what the engine's calls raised first: it cannot
    pass through the engine."""

    def __init__(self, identifier, call):
        self.error = None
        self._context = self._entered = None
        nothing = CALL()
        self.work = Work(id=identifier.encode(), call=self._guarded(call), prepare=nothing,
                         enter=nothing, leave=nothing)

    @classmethod
    def of(cls, prepared, identifier):
        made = cls(identifier, prepared.call)
        made._context, work = prepared.side.context, made.work
        work.graph, work.restore_graph = _handle(prepared.graph), _handle(prepared.put_back)
        work.no_graph = prepared.no_graph.encode()
        work.escape = None if prepared.escape is None else prepared.escape.encode()
        work.enter, work.leave = made._guarded(made._enter), made._guarded(made._leave)
        if prepared.changes_inputs:
            work.prepare = made._guarded(prepared.restore)
        return made

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
            except BaseException as error:
                self.error = self.error or error
                return 1

        return CALL(called)


def _handle(captured):
    return captured.handle if captured else None
