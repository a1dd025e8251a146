"""Speaks the child protocol for cases and outcomes: begin, numbers, end, and the last line, bye,
with pytest's counts and the first reason."""

import atexit
import os
import signal
import threading

import pytest

from .channel import channel
from .failures import described_chain, described_with_place
from .measurement_fields import engine_fields


class _Outcome:
    """What bye will say."""

    def __init__(self):
        self.collected = 0
        self.nodes = {}  # node to passed, failed or skipped; failed wins
        self.reason = ""
        self.failed_in = ""
        self.skip_reason = ""

    def fail(self, failed_in, reason):
        if not self.reason:
            self.failed_in, self.reason = failed_in, reason

    def settle(self, node, outcome):
        rank = ("passed", "skipped", "failed")
        known = self.nodes.get(node, "passed")
        self.nodes[node] = max(known, outcome, key=rank.index)

    def say_bye(self, exit_status):
        counts = list(self.nodes.values())
        fields = {name: counts.count(name) for name in ("passed", "failed", "skipped")}
        if self.reason or self.skip_reason:
            fields["reason"] = self.reason or self.skip_reason
        if self.failed_in:
            fields["failed_in"] = self.failed_in
        channel.bye(exit_status=int(exit_status), collected=self.collected, **fields)


_outcome = _Outcome()


def pytest_zlbench_case_begin(case):
    channel.send("case_begin", case=case.id, node=case.node, name=case.name, dtype=case.dtype,
                 shape=case.shape, shape_text=case.shape_text)


def pytest_zlbench_measurement(case, side, caliber, latency_ms, timing):
    channel.send("measurement", case=case.id, side=side, caliber=caliber,
                 value_ns=timing["summary"]["value_ns"] if timing else latency_ms * 1e6,
                 raw={"value": latency_ms, "unit": "ms"},
                 **(engine_fields(timing) if timing else {}))


def pytest_zlbench_case_end(case, status, error, metrics):
    fields = {"error": error} if error else {}
    if status == "failed":
        fields["phase"] = case.phase
    if metrics:
        fields["metrics"] = metrics
    channel.send("case_end", case=case.id, status=status, **fields)


def _start():
    """From the first moment on: an option that pytest does not know ends it before any hook."""
    atexit.register(_say_that_no_session_began)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _say_bye_and_end)


def _say_that_no_session_began():
    _outcome.fail("setup", "pytest ended before its session began, see the log")
    _outcome.say_bye(4)


def _say_bye_and_end(number, _frame):
    _outcome.fail("call", f"ended by signal {number}")
    _outcome.say_bye(128 + number)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


_start()


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    channel.send("phase", phase="collect")
    outcome = yield
    error = outcome.excinfo and outcome.excinfo[1]
    if isinstance(error, pytest.UsageError):  # a node that does not exist
        _outcome.fail("collection", " ".join(str(error).split()))


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    report = (yield).get_result()
    if report.failed:
        error = report.call.excinfo.value if getattr(report, "call", None) else None
        reason = described_with_place(error) if error else "see the log"
        _outcome.fail("collection", f"{collector.nodeid}: {reason}")
        _outcome.settle(collector.nodeid, "failed")
    elif report.skipped:
        _note_skip(collector.nodeid, report)


def pytest_collection_finish(session):
    _outcome.collected = len(session.items)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed and call.excinfo is not None:
        _outcome.fail(report.when, described_chain(call.excinfo.value))


def pytest_runtest_logreport(report):
    if report.failed:
        _outcome.fail(report.when, "see the log")
        _outcome.settle(report.nodeid, "failed")
    elif report.skipped:
        _note_skip(report.nodeid, report)
    elif report.when == "call":
        _outcome.settle(report.nodeid, "passed")


def _note_skip(node, report):
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    _outcome.skip_reason = _outcome.skip_reason or reason.removeprefix("Skipped: ")
    _outcome.settle(node, "skipped")


def pytest_internalerror(excinfo):
    _outcome.fail("", f"internal error of pytest: {described_with_place(excinfo.value)}")


def pytest_keyboard_interrupt(excinfo):
    _outcome.fail("", described_chain(excinfo.value))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    _outcome.say_bye(session.exitstatus)
