"""One side of one case: lease, the corpus' own get_latency, and what the other plug-ins get to know
of it."""

import math

import pytest

from .caliber import caliber_of
from .channel import channel


class Measuring:
    """Bound to one node: the pytest item and the corpus' benchmark.base module."""

    def __init__(self, hook, item, benchmark_base):
        self.hook = hook
        self.item = item
        self.base = benchmark_base
        self.active = False  # inside get_latency on our behalf

    def side(self, bench, case, side, get_latency, op, args, kwargs):
        """Returns what get_latency returned; its exceptions pass through."""
        case.phase = side
        leave_when_told(self.item, self.hook, case)
        if not channel.take_lease():
            leave_when_told(self.item, self.hook, case, waited=True)
        self.hook.pytest_zlbench_side_begin(case=case, side=side)
        make_call = None
        self.active = True
        try:
            latency = get_latency(op, *args, **kwargs)
            self.active = False
            make_call = lambda: untimed_call(bench, op, args, kwargs)
            self._report(bench, case, side, latency)
        finally:
            self.active = False
            self.hook.pytest_zlbench_side_end(case=case, side=side, make_call=make_call)
        return latency

    def _report(self, bench, case, side, latency):
        if isinstance(latency, (int, float)) and math.isfinite(latency) and latency > 0:
            self.hook.pytest_zlbench_measurement(
                case=case, side=side, caliber=caliber_of(self.base, bench), latency_ms=latency)
        else:
            channel.note("warning", "NO_NUMBER",
                         f"{case.id}: the corpus' timer gave {latency!r} for the {side}")


def end_case(hook, case, status, error=None, metrics=None):
    """Only the first end of a case counts."""
    if not case.has_ended:
        case.has_ended = True
        hook.pytest_zlbench_case_end(case=case, status=status, error=error, metrics=metrics or {})


def leave_when_told(item, hook, case=None, waited=False):
    """Ends this node when nobody listens any more, for then there is nothing to measure for and
    nothing to fail for; and the whole session when the parent said stop. Leaves by a skip, since
    the corpus' own loops catch every Exception."""
    channel.poll()
    if not channel.stop_wanted and not waited:
        return
    reason = "stopped by zlbench" if channel.stop_wanted else "not measured: nobody listens"
    if case is not None:
        end_case(hook, case, "skipped", reason)
    if channel.stop_wanted:
        item.session.shouldstop = reason
    pytest.skip(reason)


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
