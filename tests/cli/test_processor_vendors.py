"""Vendors of processors: chosen by name only, and only on their own machines."""

import json
import platform

import pytest
from engine_parent import ENGINE_SITE, runtime_variables
from vendor_words import GRAPH_RUNTIME, PROCESSOR_VENDOR

DESCRIPTOR = """
name: {vendor}
vendor_name: {vendor}
verified: no
device_name: cpu
vendor_variables: [GEMS_VENDOR, FLAGGEMS_VENDOR]
sources:
  - kind: host_architecture
    architectures: [{architecture}]
runtime:
  family: host
capabilities: {{}}
"""


def here(machine):
    return {entry["name"]: entry["devices_here"]
            for entry in json.loads(machine.run("backends", "--json").stdout)}


@pytest.fixture
def processor(machine):
    """Runs an operator on a backend of this machine's own architecture; the run's folder."""
    def ran(op, *options, code=0):
        text = DESCRIPTOR.format(vendor=PROCESSOR_VENDOR, architecture=platform.machine())
        (machine.folder / "backends" / "mine.yaml").write_text(text)
        site = f"{ENGINE_SITE}:{machine.environment['PYTHONPATH']}"
        done = machine.run("run", op, "--backend", PROCESSOR_VENDOR, "--corpus", machine.corpus,
                           *options, code=code, PYTHONPATH=site, FAKE_TORCH_DEVICES="",
                           **runtime_variables(GRAPH_RUNTIME))
        return done if code else machine.batch() / op

    return ran


def measurements(run):
    return [json.loads(line) for line in (run / "measurements.jsonl").read_text().splitlines()]


def test_on_its_own_machine_an_operator_is_measured_with_the_host_timer(machine, processor):
    run = processor("engine_clean")
    assert here(machine)[PROCESSOR_VENDOR] == 1
    identity = json.loads((run / "run_identity.json").read_text())
    assert identity["vendor"] == PROCESSOR_VENDOR
    assert identity["child"]["torch_device"] == "cpu" and identity["child"]["timer"] == "host"
    lines = measurements(run)
    assert [line["side"] for line in lines] == ["baseline", "candidate"] * 2
    assert {line["caliber"] for line in lines} == {"host-p5/warm/net/burst/v1"}
    assert all(line["value_ns"] > 0 and line["samples"] >= 10 for line in lines)
    machine.run("show", run, "--recompute")


def test_a_call_that_changes_its_input_starts_from_the_same_one(processor):
    run = processor("engine_in_place")
    log = (run / "run.log").read_text()
    words = next(line for line in log.splitlines() if line.startswith("RUNS")).split()
    assert int(words[1]) > 50 and int(words[3]) == 0


def test_the_corpus_timer_is_there_on_demand(processor):
    run = processor("engine_clean", "--timer", "upstream")
    assert {line["caliber"].partition("-")[0] for line in measurements(run)} == {"upstream"}
    assert "take 'host'" in processor("engine_clean", "--timer", "graph", code=2).stderr


def test_elsewhere_the_error_names_both_architectures(machine):
    text = DESCRIPTOR.format(vendor=PROCESSOR_VENDOR, architecture="elsewhere")
    (machine.folder / "backends" / "mine.yaml").write_text(text)
    assert here(machine)[PROCESSOR_VENDOR] == 0
    failed = machine.run("run", "abs", "--backend", PROCESSOR_VENDOR, "--corpus", machine.corpus,
                         code=4)
    assert f"this machine is {platform.machine()}" in failed.stderr
    assert "needs elsewhere" in failed.stderr


@pytest.mark.parametrize("architecture", [platform.machine(), "elsewhere"])
def test_the_choice_without_a_word_is_the_plain_host(machine, architecture):
    text = DESCRIPTOR.format(vendor=PROCESSOR_VENDOR, architecture=architecture)
    (machine.folder / "backends" / "mine.yaml").write_text(text)
    lines = machine.run("devices", "--json").stdout
    assert PROCESSOR_VENDOR not in {entry["backend"] for entry in json.loads(lines)}
