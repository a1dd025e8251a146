"""Against a parent that keeps no rule: the child neither fails for it nor outlives it."""

import json
import sys

from parent import PLUGINS_FOLDER

sys.path.insert(0, str(PLUGINS_FOLDER))

from zlbench_plugins.wire import MAX_LINE_BYTES, encoded  # noqa: E402

ABS = "test_abs.py::test_abs"


def test_no_channel_runs_on_and_measures_nothing(run):
    child = run(ABS, channel=False)
    assert child.messages == [] and child.status == 0
    assert "nobody listens" in child.log


def test_parent_that_is_gone_at_once(start):
    child = start(ABS)
    child.hang_up()
    assert child.process.wait(30) == 0
    assert "SKIPPED" in child.log and "nobody listens" in child.log


def test_never_granted_lease_ends_with_the_parent(start):
    child = start(ABS, grants=False)
    child.wait_for("lease_wanted")
    assert child.process.poll() is None and child.all("measurement") == []
    child.hang_up()
    assert child.process.wait(30) == 0


def test_parent_that_leaves_amid_the_measuring(start):
    child = start(ABS)
    child.wait_for("measurement")
    child.hang_up()
    assert child.process.wait(30) == 0


def test_garbage_is_passed_over(start):
    child = start(ABS, grants=False)
    child.wait_for("lease_wanted")
    for junk in (b"\n", b"{\n", b"[1]\n", b"null\n", b'{"type": 7}\n', b'{"no": "type"}\n',
                 b"\xff\xfe\0\n", b'{"type": "unheard_of"}\n', b"x" * 3_000_000 + b"\n",
                 b"[" * 100_000 + b"\n"):
        child.say(junk)
    child.grant_from_now_on()
    child.say({"type": "lease_granted", "more": 1})
    assert child.finish() == 0 and len(child.all("measurement")) == 12


def test_grant_before_it_was_wanted_counts_for_nothing(start):
    child = start(ABS, grants=False)
    child.say({"type": "lease_granted"})
    child.wait_for("lease_wanted")
    child.grant_from_now_on()
    child.say(b'{"type": "lease_gr')
    child.say(b'anted"}\n')
    assert child.finish() == 0 and len(child.all("measurement")) == 12


def test_stop_while_waiting(start):
    child = start(ABS, grants=False)
    child.wait_for("lease_wanted")
    child.say({"type": "stop"})
    assert child.finish() == 2
    assert child.bye["reason"] == "stopped by zlbench" and child.bye["exit_status"] == 2
    assert child.only("case_end")["status"] == "skipped" and child.all("measurement") == []


def test_stop_amid_the_measuring(start):
    child = start("test_flood.py", "test_abs.py")
    child.wait_for("measurement")
    child.say({"type": "stop"})
    assert child.finish() == 2
    assert child.bye["reason"] == "stopped by zlbench"
    begun, ended = child.all("case_begin"), child.all("case_end")
    assert len(begun) == len(ended) < 18


def test_stop_amid_an_own_run(start):
    child = start("test_mm.py::test_mm", grants=False)
    child.wait_for("lease_wanted")
    child.say({"type": "stop"})
    assert child.finish() == 2 and child.only("case_end")["status"] == "skipped"


def test_line_is_finite_and_one_line():
    line = encoded({"type": "x", "a": float("nan"), "b": [1.0, float("inf")], "c": "two\nlines",
                    "d": {"e": float("-inf"), "f": 2}, "g": "lone \udc80"})
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert json.loads(line) == {"type": "x", "b": [1.0], "c": "two\nlines", "d": {"f": 2},
                                "g": "lone ?"}


def test_long_line_loses_its_samples_first():
    line = encoded({"type": "measurement", "case": "c", "samples_ns": list(range(1_000_000))})
    assert json.loads(line) == {"type": "measurement", "case": "c"}


def test_long_text_is_shortened():
    line = encoded({"type": "note", "code": "X", "text": "y" * (2 * MAX_LINE_BYTES)})
    assert len(line) <= MAX_LINE_BYTES and json.loads(line)["text"].startswith("yyy")
