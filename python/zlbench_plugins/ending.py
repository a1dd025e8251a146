"""How a case, a node and a session end."""

import pytest

from .channel import channel


def end_case(hook, case, status, error=None, metrics=None):
    """Only the first end of a case counts."""
    if not case.has_ended:
        case.has_ended = True
        hook.pytest_zlbench_case_end(case=case, status=status, error=error, metrics=metrics or {})


def end_session(session, failure):
    """After a failure that took the device away: nothing more can be measured."""
    reason = f"the device is lost after {failure}"
    channel.note("error", "DEVICE_LOST", reason)
    session.shouldstop = reason


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
