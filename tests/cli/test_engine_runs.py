"""The whole program with the timing engine, on the stand-in runtime of a family."""

import csv
import json

import pytest

from engine_parent import ENGINE_SITE, runtime_library, runtime_variables
from vendor_words import DEVICE, DIRECT_RUNTIME, GRAPH_RUNTIME, OTHER_DEVICE, OTHER_DEVICE_VENDOR
from vendor_words import VENDOR


@pytest.fixture
def batch(machine):
    """One operator on a backend with the runtime `family`: its row, its measurements, its run."""
    def ran(op, family, vendor=VENDOR, device=DEVICE, code=0, graphs="yes"):
        machine.add_chips(1, vendor=vendor, device=device)
        path = machine.folder / "backends" / "testchip.yaml"
        text = path.read_text().replace(
            "  family: none\n",
            f"  family: {family[0]}\n  libraries: [{runtime_library(family[1])}]\n")
        path.write_text(text.replace("graph_capture: no", f"graph_capture: {graphs}"))
        site = f"{ENGINE_SITE}:{machine.environment['PYTHONPATH']}"
        machine.run("batch", "--backend", "testchip", "--corpus", machine.corpus, "--ops", op,
                    code=code, PYTHONPATH=site, FAKE_TORCH_DEVICES=device,
                    **runtime_variables(family))
        folder = machine.batch()
        with open(folder / "ops_status.csv", newline="") as file:
            (row,) = csv.DictReader(file)
        lines = (folder / op / "measurements.jsonl").read_text().splitlines()
        return row, [json.loads(line) for line in lines], folder / op

    return ran


def test_a_backend_with_graphs(batch, machine):
    row, lines, run = batch("engine_clean", GRAPH_RUNTIME)
    assert (row["status"], row["timer"], row["shapes"]) == ("passed", "graph", "2"), row
    assert float(row["speedup"]) == pytest.approx(1, rel=0.01)
    assert len(lines) == 4
    for line in lines:
        assert line["caliber"].startswith("graph-evt/")
        assert line["value_ns"] == pytest.approx(20_000, rel=0.01)
        assert line["timing"]["record"]["id"].endswith(line["side"])
        assert "fallback" not in line or not line["fallback"]
    child = json.loads((run / "run_identity.json").read_text())["child"]
    assert child["timing_engine"]["has_device_code"] is True
    assert "20.0" in machine.run("show", run, "--cases").stdout


def test_a_backend_without_graphs(batch):
    row, lines, _run = batch("engine_clean", DIRECT_RUNTIME, OTHER_DEVICE_VENDOR, OTHER_DEVICE,
                             graphs="no")
    assert (row["status"], row["timer"]) == ("passed", "direct"), row
    assert {line["caliber"].partition("/")[0] for line in lines} == {"direct-preroll"}
    assert {line["fallback"] for line in lines} == {"the device cannot hold a stream"}


def test_a_case_that_cannot_be_captured_shows_in_the_row(batch):
    row, lines, _run = batch("engine_no_capture", GRAPH_RUNTIME)
    assert (row["status"], row["timer"]) == ("passed", "direct"), row
    assert "not while capturing" in lines[-1]["fallback"]


def test_a_result_that_was_not_made_on_the_device_counts_for_nothing(batch):
    row, lines, _run = batch("engine_partly", GRAPH_RUNTIME)
    assert (row["status"], row["speedup"]) == ("passed", ""), row
    assert [line.get("flags") for line in lines if line["side"] == "candidate"] == [["false_graph"]]


def test_a_lost_device_is_the_reason(batch):
    row, lines, _run = batch("engine_lost", GRAPH_RUNTIME, code=1)
    assert row["status"] == "failed" and "code 700" in row["reason"], row
    assert lines == []
