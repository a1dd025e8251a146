"""The child's right to its device: what it asks for, when it gives back, and what others see."""

import os
import time

from board import Board
from engine_parent import ended, start_engine_child
from parent import make_plan

ACCESS = ("device_wanted", "device_released", "lease_wanted", "lease_released")


def rights(child):
    return [m["type"] for m in child.messages if m["type"] in ACCESS]


def test_a_kernel_is_compiled_with_the_device_given_back(run):
    child = run("test_tuned.py::test_compiles")
    kinds = rights(child)
    # Imports, the node up to the kernel, the node from it on to the end.
    assert kinds[:5] == ["device_wanted", "device_released", "device_wanted", "device_released",
                         "device_wanted"]
    assert "COMPILED_HOLDING ''" in child.log


def test_a_kernel_from_the_cache_keeps_the_device(run, tmp_path):
    first = run("test_tuned.py::test_compiles", env={"TRITON_CACHE_DIR": str(tmp_path / "kept")})
    again = run("test_tuned.py::test_compiles", env={"TRITON_CACHE_DIR": str(tmp_path / "kept")})
    assert rights(again).count("device_wanted") == rights(first).count("device_wanted") - 1


def test_a_tuner_measures_under_the_lease_and_the_child_keeps_it_for_its_own(run):
    child = run("test_tuned.py::test_tunes")
    assert "TUNED_HOLDING lease" in child.log and "TUNED_HOLDING device" not in child.log
    kinds = rights(child)
    one_case = kinds[kinds.index("lease_wanted"):]
    assert one_case[:2] == ["lease_wanted", "lease_released"]


def test_the_counter_is_odd_while_the_child_is_at_work_and_even_in_the_end(start):
    board = Board()
    child = start("test_abs.py::test_abs", grants=False, board=board.descriptor,
                  plan=make_plan(seat=Board.SEAT))
    child.wait_for("lease_wanted")
    # Begin and end of the imports, and of the node up to here.
    assert board.values()[1] == 4, "it has left the device"
    child.grant_from_now_on()
    child.say({"type": "lease_granted"})
    assert child.finish() == 0
    assert board.values()[1] % 2 == 0 and board.values()[0] == board.values()[2] == 0


def test_a_hung_child_shows_its_stacks(start):
    child = start("test_hang.py")
    child.wait_for("case_begin")
    while not [m for m in child.all("phase") if m["phase"] == "candidate"]:
        child.wait_for("phase")
    os.kill(child.process.pid, child.only("hello")["stack_signal"])
    for _ in range(200):
        if "most recent call first" in child.log:
            break
        time.sleep(0.05)
    assert "test_hang.py" in child.log and child.process.poll() is None, "and goes on"


def test_a_record_proves_that_the_others_kept_still(tmp_path):
    board = Board()
    child = ended(start_engine_child(tmp_path, "graph", ["clean"], board=board, seat=Board.SEAT))
    measured = child.all("measurement")
    assert measured
    for message in measured:
        assert message["timing"]["lease"] == {"others": 2, "was_quiet": True}
        assert "epoch" not in message["timing"]["record"].get("rejected", {})


def test_nothing_is_measured_beside_work_that_goes_on(tmp_path):
    board = Board()
    board.counters[2].value = 1  # at work all the time, against all rules
    child = ended(start_engine_child(tmp_path, "graph", ["clean"], board=board, seat=Board.SEAT))
    assert child.all("measurement") == []
    assert all("all were rejected" in end["error"] for end in child.all("case_end")), child.all("case_end")
