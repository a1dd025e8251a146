"""show --recompute: numbers out of stored samples again, which are packed here by docs/timing-record.md alone."""

import base64
import json
import random
import re
import shutil
import statistics
import subprocess

import pytest
from conftest import Machine


def packed(numbers):
    data = bytearray()
    for number in numbers:
        while number >= 0x80:
            data.append(0x80 | number & 0x7F)
            number >>= 7
        data.append(number)
    return base64.b64encode(bytes(data)).decode().rstrip("=")


def zigzag(number):
    return 2 * number if number >= 0 else -2 * number - 1


def differences(values):
    return [zigzag(value - before) for before, value in zip([0, *values], values)]


def record(visits=2, bursts=8, samples=8):
    """A record of 20 us with a tick of 1 ns, and its samples."""
    choice = random.Random(1)
    count = visits * bursts
    intervals = [choice.randint(19_900, 20_100) for _ in range(count * samples)]
    starts = [4_000 * place for place in range(count)]
    numbers = [samples, count, 1, *differences(starts), 0, 0, *differences(intervals)]
    return {"format": 1, "id": "x", "tick_ns": 1, "null_ns": 100, "calls_per_sample": 1, "tau": 0,
            "unit_ns": 1, "visits": [{"stop": "interval", "bursts": bursts}] * visits,
            "data": packed(numbers)}, intervals


def recompute(machine, folder):
    return subprocess.run(machine.command("show", "--recompute", "--json", folder), capture_output=True,
                          text=True, timeout=120, env=machine.environment, cwd=machine.folder)


@pytest.fixture(scope="module")
def measured_batch(tmp_path_factory):
    machine = Machine(tmp_path_factory.mktemp("native"))
    machine.run("run", "transpose", "--backend", "cpu", "--provider", "native", "--shapes", "small",
                "--dtypes", "float32", "--quiet")
    return machine.batch()


@pytest.fixture
def batch(measured_batch, machine):
    """Without the samples, as timers leave it that keep none."""
    folder = shutil.copytree(measured_batch, machine.folder / "batch")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    for event in events:
        event.pop("timing", None)
    (folder / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    return folder


class Log:
    """The batch's log, with one measurement that is written again as the test wants it."""

    def __init__(self, batch):
        self.path = batch / "events.jsonl"
        self.events = [json.loads(line) for line in self.path.read_text().splitlines()]
        self.measured = next(event for event in self.events
                             if event["event"] == "measured" and event["side"] == "candidate")
        for name in ("ci_low_ns", "ci_high_ns", "samples", "host_ns"):
            self.measured.pop(name, None)

    def save(self):
        self.path.write_text("".join(json.dumps(event) + "\n" for event in self.events))


def test_without_stored_samples_there_is_nothing_to_compute(machine, batch):
    assert "no number here has stored samples" in machine.run("show", "--recompute", batch, code=3).stderr
    assert "takes one run" in machine.run("show", "--recompute", batch, batch, code=2).stderr


def test_every_number_comes_out_of_the_samples_again(machine, batch):
    log = Log(batch)
    stored, intervals = record()
    log.measured["timing"] = {"record": stored, "summary": {}}
    for _ in range(40):
        log.save()
        done = recompute(machine, batch)
        result = json.loads(done.stdout)
        if "first_difference" not in result:
            break
        assert done.returncode == 1
        found = re.match(r"transpose case .*: \w+ (\w+) is .*, its samples give (.*)$",
                         result["first_difference"])
        name, value = found[1], json.loads(found[2])
        for place in (log.measured, log.measured["timing"]["summary"]):
            if place is not log.measured or name == "value_ns":
                place[name] = value
    assert done.returncode == 0
    assert result["agreeing"] == result["numbers"] == 24 and result["records"] == 1
    summary = log.measured["timing"]["summary"]
    assert abs(summary["median_ns"] - (statistics.median(intervals) - 100)) < 1
    assert (summary["samples"], summary["bursts"], summary["visits"]) == (128, 16, 2)
    text = machine.run("show", "--recompute", batch / "transpose").stdout
    assert text == "24 of 24 numbers of 1 records are the same to the last bit\n"
    shown = machine.run("show", "--cases", batch).stdout
    assert "128 (16, 2)" in shown and "n (bursts, visits)" in shown
    log.measured["value_ns"] += 1e-9
    log.save()
    assert "first: transpose case" in machine.run("show", "--recompute", batch, code=1).stdout


def test_hostile_samples_are_a_difference_and_nothing_else(machine, batch):
    log = Log(batch)
    stored, _ = record()
    stored["data"] = packed([1 << 60, 1 << 60])
    log.measured["timing"] = {"record": stored, "summary": {}}
    log.save()
    assert "is no record that can be summarised" in recompute(machine, batch).stdout
