#!/usr/bin/python3
"""A child of the native provider that behaves as the operator's name says: started as
`child.py native-runner LIBRARY OPERATOR`, it speaks the child protocol, or breaks it."""

import ctypes
import json
import mmap
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import time

# What follows a dot only tells one operator from another.
operator = sys.argv[3].partition(".")[0]
channel = socket.socket(fileno=int(os.environ["ZL_CHANNEL_FD"]))
os.set_inheritable(channel.fileno(), False)
answers = channel.makefile()


def raw(data):
    channel.sendall(data)


def say(kind, **fields):
    raw((json.dumps({"type": kind, **fields}) + "\n").encode())


def hello(protocol=1):
    say("hello", protocol=protocol, pid=os.getpid(), role="native", identity={"from": "fake"})


def case(name, baseline=2000.0, candidate=1000.0):
    say("case_begin", case=name, node="n", name=operator, dtype="float32", shape=[4], shape_text="[4]")
    say("phase", case=name, phase="baseline")
    say("measurement", case=name, side="baseline", caliber="fake/1", value_ns=baseline,
        raw={"value": baseline, "unit": "ns"})
    say("measurement", case=name, side="candidate", caliber="fake/1", value_ns=candidate,
        raw={"value": candidate, "unit": "ns"})
    say("case_end", case=name, status="ok")


def bye(**fields):
    say("bye", **{"exit_status": 0, "collected": 1, "passed": 1, "failed": 0, "skipped": 0, **fields})


def good():
    hello()
    case("a")
    case("b", 4000.0, 1000.0)
    bye()


def slow():
    hello()
    case("a")
    time.sleep(0.5)
    bye()


def one_case_fails():
    hello()
    case("a")
    say("case_begin", case="b", node="n", name=operator, dtype="float32", shape_text="[8]")
    say("case_end", case="b", status="failed", phase="candidate", error="RuntimeError: no")
    case("c")
    bye(exit_status=1, failed=1)
    sys.exit(1)


def crash():
    hello()
    case("a")
    say("case_begin", case="b", node="n", name=operator, dtype="float32", shape_text="[8]")
    say("phase", case="b", phase="candidate")
    os.kill(os.getpid(), signal.SIGSEGV)


def hang():
    hello()
    case("a")
    say("phase", case="", phase="candidate")
    time.sleep(600)


def ignores_term():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang()


def silent():
    case("a")  # no hello: its numbers must not be believed
    bye()


def dies_at_once():
    print("the reason stands in the log", flush=True)
    sys.exit(3)


def wrong_protocol():
    hello(protocol=99)
    case("a")
    bye()


def garbage():
    hello()
    raw(b"\xff\xfe not json\n[1,2]\n{\"no\": \"type\"}\n")
    case("a")
    raw(b"x" * (2 << 20) + b"\n")
    say("measurement", case="never begun", side="candidate", caliber="fake/1", value_ns=1)
    say("measurement", case="a", side="sideways", caliber="fake/1", value_ns=1)
    say("measurement", case="a", side="candidate", caliber="fake/1", value_ns=-1)
    say("type of a newer protocol", anything=1)
    bye()
    raw(b'{"type": "half')


def flood_lines():
    hello()
    while True:
        raw(b"garbage\n" * 1000)


def flood_log():
    hello()
    while True:
        print("x" * 1000)


def close_and_run():
    hello()
    case("a")
    bye()
    channel.close()
    time.sleep(0.3)


def grandchild():
    hello()
    process = subprocess.Popen(["sleep", "600"])
    with open("grandchild.pid", "w") as file:
        file.write(str(process.pid))
    case("a")
    bye()


def grandchild_holds_channel():
    """Inherits the socket and the log, and lives on: neither may keep the parent waiting."""
    hello()
    os.set_inheritable(channel.fileno(), True)
    process = subprocess.Popen(["setsid", "sleep", "600"], close_fds=False)
    with open("grandchild.pid", "w") as file:
        file.write(str(process.pid))
    case("a")
    bye()


def killed():
    hello()
    case("a")
    os.kill(os.getpid(), signal.SIGKILL)


def out_of_memory():
    hello()
    case("a")
    say("phase", case="", phase="candidate")
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    kept = []
    while True:
        kept.append(bytearray(64 << 20))


def flood_messages():
    hello()
    while True:
        raw(b'{"type": "phase", "phase": "x"}\n' * 1000)


def half_lines():
    """Every word in pieces, and half a word at the end."""
    hello()
    line = json.dumps({"type": "case_begin", "case": "a", "node": "n", "shape_text": "[4]"}) + "\n"
    for letter in line:
        raw(letter.encode())
        time.sleep(0.001)
    say("measurement", case="a", side="candidate", caliber="fake/1", value_ns=1000.0)
    raw(b'{"type": "case_end", "case": "a", "sta')


def no_numbers():
    hello()
    bye()


def skips():
    hello()
    bye(passed=0, skipped=1, reason="not on this device")


def no_bye():
    hello()
    case("a")


def foreign():
    hello()
    case("a")
    say("note", level="warning", code="FOREIGN_VENDOR_MODULE",
        text="active=one loaded=two")
    bye()


def wrong_vendor():
    hello()
    say("note", level="error", code="VENDOR_MISMATCH", text="the corpus chose another vendor")
    bye(exit_status=4)
    sys.exit(4)


def waits_for_lease():
    hello()
    say("lease_wanted")
    answer = channel.makefile().readline()
    if json.loads(answer)["type"] == "lease_granted":
        case("a")
    bye()


def answer():
    line = answers.readline()
    if not line:
        os._exit(0)
    return json.loads(line)["type"]


def seat():
    with open(os.environ["ZL_PLAN"]) as file:
        return json.load(file)["seat"]


def board(own):
    memory = mmap.mmap(int(os.environ["ZL_BOARD_FD"]), own["of"] * 64)
    return [ctypes.c_uint64.from_buffer(memory, 64 * place) for place in range(own["of"])]


def at_work(here, kind):
    """Who is at work in this way; marks of children of a killed parent count for nothing."""
    return [mark for mark in here.glob(f"{kind}-*") if parent_of(mark.name.partition("-")[2]) == os.getppid()]


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return None


def takes_turns(rounds=6):
    """Works beside the others and measures alone, in turns; a file stands for being at work, and
    says so when somebody else is there who may not be."""
    hello()
    own = seat()
    counters = board(own)
    here = pathlib.Path(os.getcwd()).parent
    say("case_begin", case="a", node="n", name=operator, dtype="float32", shape_text="[4]")
    wrong = ""
    for _ in range(rounds):
        say("device_wanted")
        wrong = wrong or ("" if answer() == "device_granted" else "no device")
        counters[own["index"]].value += 1
        mark = here / f"shared-{os.getpid()}"
        mark.touch()
        if at_work(here, "alone"):
            wrong = "somebody measured beside my work"
        time.sleep(0.002)
        mark.unlink()
        counters[own["index"]].value += 1
        say("lease_wanted")
        wrong = wrong or ("" if answer() == "lease_granted" else "no lease")
        before = [counter.value for counter in counters]
        mark = here / f"alone-{os.getpid()}"
        mark.touch()
        time.sleep(0.002)
        if len(at_work(here, "alone")) > 1 or at_work(here, "shared"):
            wrong = "somebody was there while I measured"
        if before != [counter.value for counter in counters]:
            wrong = "a counter changed while I measured"
        if any(value % 2 for value in before):
            wrong = "a counter said that somebody was at work while I measured"
        mark.unlink()
        say("lease_released")
    status = {"status": "failed", "phase": "measure", "error": wrong} if wrong else {"status": "ok"}
    say("measurement", case="a", side="candidate", caliber="fake/1", value_ns=1000.0)
    say("case_end", case="a", **status)
    bye()


def dies_with_the_lease():
    hello()
    counters = board(seat())
    say("device_wanted")
    answer()
    counters[seat()["index"]].value += 1  # dies at work: the counter stays odd
    say("lease_wanted")
    answer()
    os.kill(os.getpid(), signal.SIGKILL)


def hangs_with_the_lease():
    hello()
    say("lease_wanted")
    answer()
    time.sleep(600)


def holds_the_device():
    """At work as long as anybody waits, but speaks now and then."""
    hello()
    say("device_wanted")
    answer()
    for _ in range(12):
        time.sleep(0.2)
        say("phase", phase="candidate")
    case("a")
    bye()


def shows_plan():
    with open(os.environ["ZL_PLAN"]) as file:
        plan = json.load(file)
    hello()
    say("identity", identity={"argv": sys.argv, "plan": plan, "environment": dict(os.environ),
                              "folder": os.getcwd()})
    case("a")
    bye()


globals()[operator]()
