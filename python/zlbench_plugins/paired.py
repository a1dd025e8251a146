"""The sides of one case through the timing engine: each is prepared in its turn, then all are
measured together."""

import contextlib
import sys

from .access import access
from .channel import channel
from .prepared import Side
from .tensors import tensors_in

# What carries one of these did not do its work on the device when it was asked to.
_NO_SPEEDUP = ("host_only", "false_graph")


class NotOneCall(Exception):
    """A get_latency of its own that does more than time one call."""


def side_of(measuring, bench, name, op, context, args, kwargs, is_checked=True):
    kind = (type(bench).__name__, bench.op_name, name)
    return Side(name, kind, lambda: measuring.untimed_call(bench, op, args, kwargs), context,
                tensors_in(sys.modules["torch"], [args, kwargs]), is_checked,
                is_made_in_context=bool(bench.is_backward))


def called_sides(measuring, bench, case, sides, args, kwargs):
    """Of `sides`, name, operator and context of each: with what get_latency would time. Raises
    NotOneCall."""
    made = []
    for name, op, context in sides:
        called = (op, args, kwargs)
        if measuring.has_own_latency(bench):
            case.phase = name
            measuring.take_device(case)
            with context():
                called = measuring.call_of(bench, *called)
        op, own_args, own_kwargs = called
        made.append(side_of(measuring, bench, name, op, context, own_args, own_kwargs))
    return made


def measure_sides(measuring, case, sides):
    """Their latencies in ms by name; the metrics may not hold a speedup when `case.no_speedup` says
    why."""
    try:
        prepared = []
        for side in sides:
            case.phase = side.name
            measuring.take_device(case)
            prepared.append(_prepare(measuring, case, side))
        answer = _measure(measuring, case, prepared)
    finally:
        measuring.end_lease()
    if [side.name for side in sides] == ["baseline", "candidate"]:
        case.speedup_bounds = {name: value for name, value in answer.get("pair", {}).items()
                               if name in ("speedup_low", "speedup_high")}
    return {one.side.name: _report(measuring, case, one, timing)
            for one, timing in zip(prepared, answer["timings"])}


def _measure(measuring, case, prepared):
    case.phase = "measure"
    measuring.take_lease(case)
    before = access.others()
    try:
        answer = measuring.engine_timer().measure(case.id, prepared)
    except BaseException:
        failed = [one for one in prepared if one.error is not None]
        if failed:
            case.phase = failed[0].side.name
        raise
    was_quiet = before == access.others() and not any(count % 2 for count in before)
    for timing in answer["timings"]:
        timing["lease"] = {"others": len(before), "was_quiet": was_quiet}
    return answer


def _prepare(measuring, case, side):
    hook, name = measuring.hook, side.name
    hook.pytest_zlbench_side_begin(case=case, side=name)
    try:
        return measuring.engine_timer().prepare(
            side, lambda call: hook.pytest_zlbench_side_warm(case=case, side=name,
                                                             make_call=lambda: call))
    finally:
        hook.pytest_zlbench_side_end(case=case, side=name)


def _report(measuring, case, prepared, timing):
    timing["flags"] += prepared.flags
    side = prepared.side.name
    latency_ms = timing["summary"]["value_ns"] / 1e6
    reasons = [flag for flag in timing["flags"] if flag in _NO_SPEEDUP]
    if case.caliber not in ("", timing["caliber"]):
        reasons.append("measured in another way than the other side")
    if latency_ms <= 0:
        reasons.append("no longer than an empty interval")
    if reasons:
        case.no_speedup = f"{side}: {', '.join(reasons)}"
        channel.note("warning", "NO_SPEEDUP", f"{case.id}: {case.no_speedup}")
    case.caliber = timing["caliber"]
    if latency_ms <= 0:
        return None
    measuring.hook.pytest_zlbench_measurement(
        case=case, side=side, caliber=timing["caliber"], latency_ms=latency_ms, timing=timing)
    return latency_ms
