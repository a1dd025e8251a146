"""The whole program on the CPU corpus that comes with it."""

import json


def test_the_catalogue_has_the_promised_operators(machine):
    ops = json.loads(machine.run("ops", "--provider", "native", "--json").stdout)
    names = {entry["op"] for entry in ops}
    assert {"gemm", "softmax", "layer_norm", "add", "gelu", "sum", "transpose"} <= names


def test_a_run_measures_checks_and_shows(machine):
    done = machine.run("run", "transpose", "--backend", "cpu", "--provider", "native", "--shapes", "small")
    assert "transpose" in done.stdout and "passed" in done.stdout
    batch = machine.batch()
    lines = [json.loads(line) for line in (batch / "transpose" / "measurements.jsonl").read_text().splitlines()]
    assert {line["dtype"] for line in lines} == {"f32", "f64"}
    for line in lines:
        assert line["caliber"].startswith("host-p5/")
        assert line["ci_low_ns"] <= line["value_ns"] <= line["ci_high_ns"]
        assert line["samples"] > 0
    for form in ("json", "csv", "md", "table"):
        assert "transpose" in machine.run("show", batch, "--format", form).stdout
    assert "f64" in machine.run("show", batch, "--cases").stdout
    assert "f64" in machine.run("show", batch / "transpose").stdout


def test_dtypes_are_chosen_by_torchs_names_too(machine):
    machine.run("run", "transpose", "--backend", "cpu", "--provider", "native", "--shapes", "small",
                "--dtypes", "float32")
    lines = (machine.batch() / "transpose" / "measurements.jsonl").read_text().splitlines()
    assert {json.loads(line)["dtype"] for line in lines} == {"f32"}


def test_the_plan_is_what_the_run_then_does(machine):
    planned = json.loads(machine.run("plan", "sum", "--backend", "cpu", "--provider", "native", "--json").stdout)
    machine.run("run", "sum", "--backend", "cpu", "--provider", "native", "--shapes", "small", "--quiet")
    done = json.loads((machine.batch() / "sum" / "plan.json").read_text())
    for field in ("argv", "nodes", "plugins", "timer", "backend", "device", "limits"):
        for plan in (planned, done):
            plan["device"].pop("memory_free_bytes", None)  # of the moment
        assert planned[field] == done[field], field
