"""`zlbench calibrate`: on the host, and on a device whose runtime keeps a script."""

import json
import pathlib

import jsonschema
import pytest

from conftest import DESCRIPTOR, DEVICE, PROGRAM, TESTS, VENDOR

FAKES = pathlib.Path(PROGRAM).resolve().parent / "tests" / "fakes" / "vendor_lib"
SCHEMA = json.loads((TESTS.parent / "docs" / "run-identity.schema.json").read_text())


def add_scripted_chip(machine, library):
    machine.add_chips(1)
    text = DESCRIPTOR.format(folder=machine.folder, vendor=VENDOR, device=DEVICE)
    runtime = f"runtime:\n  family: {DEVICE}\n  libraries: [{library}]\n"
    assert "runtime:\n  family: none\n" in text
    (machine.folder / "backends" / "testchip.yaml").write_text(
        text.replace("runtime:\n  family: none\n", runtime))


def test_a_device_with_device_code(machine):
    add_scripted_chip(machine, FAKES / "libfake_runtime_cu.so")
    shown = machine.run("calibrate", "--backend", "testchip", "--repeats", "2", "--json")
    told = json.loads(shown.stdout)
    stored = machine.runs / "calibration-testchip-0.json"
    assert json.loads(stored.read_text()) == told
    assert told["backend"] == "testchip" and told["device"]["index"] == 0
    assert told["tick_ns"] == 32 and told["driver_version"] > 0 and told["repeats"] == 2
    graph, direct = told["timers"]
    assert graph["timer"] == "graph" and direct["timer"] == "direct"
    assert abs(graph["slope"] - 1) < 1e-3 and len(graph["lengths"]) == 8
    assert {target["figure"]: target["is_met"] for target in told["targets"] if "is_met" in target}[
        "graph slope's error"] is True


def test_the_table_says_which_target_is_not_met(machine):
    add_scripted_chip(machine, FAKES / "libfake_runtime_cu.so")
    shown = machine.run("calibrate", "--backend", "testchip", "--repeats", "2").stdout
    rows = {line.split("  ")[0].strip(): line for line in shown.splitlines()}
    # The script's kernels start in no time, so their offset is too good to be true.
    assert rows["graph offset"].endswith("NO") and "200 to 1500 ns" in rows["graph offset"]
    assert rows["graph slope's error"].endswith("yes")
    assert "spin 10000 us" in shown
    assert shown.splitlines()[-1] == f"calibration: {machine.runs}/calibration-testchip-0.json"


def test_a_runtime_that_is_not_there(machine):
    add_scripted_chip(machine, "libno_such_runtime.so")
    error = machine.run("calibrate", "--backend", "testchip", code=4).stderr
    assert "libno_such_runtime.so" in error
    assert not list(machine.runs.glob("calibration-*"))


def test_a_backend_without_an_engine(machine):
    machine.add_chips(1)
    error = machine.run("calibrate", "--backend", "testchip", code=4).stderr
    assert "nothing to calibrate" in error and "testchip" in error


def test_two_devices_at_a_time_are_refused(machine):
    machine.add_chips(2)
    error = machine.run("calibrate", "--backend", "testchip", "--devices", "all", code=2).stderr
    assert "one device at a time" in error


def test_one_repeat_says_nothing_of_repeatability(machine):
    assert "--repeats" in machine.run("calibrate", "--backend", "cpu", "--repeats", "1", code=2).stderr


def test_a_later_run_tells_the_calibration_of_its_device(machine):
    machine.run("run", "gemv", "--quiet", "--backend", "cpu", "--provider", "native", "--shapes", "small")
    before = json.loads((machine.batch() / "gemv" / "run_identity.json").read_text())
    assert "calibration" not in before
    told = json.loads(machine.run("calibrate", "--backend", "cpu", "--repeats", "2", "--json").stdout)
    assert (machine.runs / "calibration-cpu.json").is_file()
    known = set(machine.batches())
    machine.run("run", "gemv", "--quiet", "--backend", "cpu", "--provider", "native", "--shapes", "small")
    (batch,) = set(machine.batches()) - known
    identity = json.loads((batch.parent / "gemv" / "run_identity.json").read_text())
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(identity)) == []
    digest = identity["calibration"]
    assert digest["date_utc"] == told["date_utc"] and digest["tick_ns"] == told["tick_ns"]
    assert digest["timers"]["host"]["null_ns"] == told["timers"][0]["null_ns"]
    assert "worst_repeatability" in digest["timers"]["host"]


@pytest.mark.parametrize("broken", [{"tick_ns": None}, {"timers": {"graph": {"slope": "1"}}}, {"further": 1}])
def test_the_schema_knows_every_field_of_a_digest(broken):
    digest = {"date_utc": "2026-11-30T22:00:00Z", "tick_ns": 32, "driver_version": 13000, "timers": {
        "graph": {"null_ns": 1312, "slope": 1.0, "offset_ns": 640, "worst_residual": 0.002,
                  "worst_repeatability": 0.001}}}
    check = jsonschema.Draft202012Validator(SCHEMA["properties"]["calibration"])
    assert check.is_valid(digest)
    assert not check.is_valid({**digest, **broken})
