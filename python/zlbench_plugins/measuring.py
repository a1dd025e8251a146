"""The sides of one case: lease, timer, and what the other plug-ins get to know of it."""

import contextlib
import math

from .access import access
from .caliber import caliber_of
from .channel import channel
from .ending import leave_when_told
from .engine_opening import opened_engine
from .plan import plan

_ENGINE_TIMERS = ("graph", "direct", "host")


class Measuring:
    """Bound to one node: the pytest item and the corpus' benchmark.base module."""

    _engine_timer = None  # one a process
    _is_engine_missing = False

    def __init__(self, hook, item, benchmark_base):
        self.hook = hook
        self.item = item
        self.base = benchmark_base
        self.active = False  # inside get_latency on our behalf
        self.heard = None    # inside it only to hear what it would time: operators and arguments

    def sides(self, bench, case, sides, args, kwargs):
        """`sides`: name, operator and context of each. Latencies in ms by name; what the operators
        and the timer raise passes through."""
        if self._has_engine(case):
            from .paired import NotOneCall, called_sides, measure_sides

            try:
                called = called_sides(self, bench, case, sides, args, kwargs)
                return measure_sides(self, case, called)
            except NotOneCall as error:
                channel.note("info", "OWN_LATENCY", f"{case.id}: {error}; its own timer is kept")
        latencies = {}
        try:
            for name, op, context in sides:
                case.phase = name
                with context():
                    latencies[name] = self.side(
                        bench, case, name, bench.get_latency, op, args, kwargs)
        finally:
            self.end_lease()
        return latencies

    def one_side(self, bench, case, name, get_latency, op, args, kwargs):
        """For a caller that is in the side's context already, and measures the other one itself; he
        ends the lease."""
        if not self._has_engine(case):
            return self.side(bench, case, name, get_latency, op, args, kwargs)
        from .paired import measure_sides, side_of

        # There the library's operators may be in the place of the framework's.
        is_checked = name == "baseline" or bool(getattr(bench, "gems_op", None))
        side = side_of(self, bench, name, op, contextlib.nullcontext, args, kwargs, is_checked)
        return measure_sides(self, case, [side])[name]

    def engine_timer(self):
        return Measuring._engine_timer

    def _has_engine(self, case):
        """The corpus' other modes ask for another quantity than device time. An engine that nobody
        asked for and that cannot be opened leaves the corpus' own timer; the calibers say so."""
        mode = str(getattr(self.base.Config.mode, "value", self.base.Config.mode))
        if plan.timer not in _ENGINE_TIMERS or mode != "kernel" or Measuring._is_engine_missing:
            return False
        if Measuring._engine_timer is None:
            case.phase = "baseline"
            self.take_lease(case)
            Measuring._engine_timer = opened_engine()
            Measuring._is_engine_missing = Measuring._engine_timer is None
            self.end_lease()
        return not Measuring._is_engine_missing

    def has_own_latency(self, bench):
        return type(bench).get_latency is not self.base.Benchmark.get_latency

    def call_of(self, bench, op, args, kwargs):
        """What a get_latency of its own would time: it may change the arguments."""
        from .paired import NotOneCall

        self.heard = []
        try:
            bench.get_latency(op, *args, **kwargs)
        finally:
            heard, self.heard = self.heard, None
        if len(heard) != 1:
            raise NotOneCall(f"{type(bench).__name__}.get_latency times {len(heard)} calls")
        return heard[0]

    def take_lease(self, case):
        self._take(access.lease, case)

    def take_device(self, case):
        self._take(access.share, case)

    def _take(self, ask, case):
        leave_when_told(self.item, self.hook, case)
        if not ask():
            leave_when_told(self.item, self.hook, case, waited=True)

    @staticmethod
    def end_lease():
        """The others' turn: what follows is done beside them."""
        if access.held == "lease":
            access.leave()
            access.share()

    def side(self, bench, case, side, get_latency, op, args, kwargs):
        """By the corpus' own timer: what get_latency returned."""
        case.phase = side
        self.take_lease(case)
        self.hook.pytest_zlbench_side_begin(case=case, side=side)
        self.active = True
        try:
            latency = get_latency(op, *args, **kwargs)
            self.active = False
            self._report(bench, case, side, latency)
            self.hook.pytest_zlbench_side_warm(
                case=case, side=side,
                make_call=lambda: self.untimed_call(bench, op, args, kwargs))
        finally:
            self.active = False
            self.hook.pytest_zlbench_side_end(case=case, side=side)
        return latency

    def _report(self, bench, case, side, latency):
        if isinstance(latency, (int, float)) and math.isfinite(latency) and latency > 0:
            self.hook.pytest_zlbench_measurement(
                case=case, side=side, caliber=caliber_of(self.base, bench), latency_ms=latency,
                timing=None)
        else:
            channel.note("warning", "NO_NUMBER",
                         f"{case.id}: the corpus' timer gave {latency!r} for the {side}")

    @staticmethod
    def untimed_call(bench, op, args, kwargs):
        """What get_latency repeats, prepared as it prepares it: for a backward operator the forward
        part is done here, outside of the returned call."""
        if not bench.is_backward:
            return lambda: op(*args, **kwargs)
        import torch

        out = op(*args, **kwargs)
        grad = torch.randn_like(out)
        wanted = [x for x in args if torch.is_tensor(x) and x.requires_grad]
        return lambda: torch.autograd.grad((out,), wanted, grad_outputs=(grad,), retain_graph=True)
