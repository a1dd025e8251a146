"""Vendors of processors: chosen by name only, and only on their own machines."""

import json
import platform

import pytest
from vendor_words import PROCESSOR_VENDOR

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


def test_on_its_own_machine_an_operator_runs(machine):
    text = DESCRIPTOR.format(vendor=PROCESSOR_VENDOR, architecture=platform.machine())
    (machine.folder / "backends" / "mine.yaml").write_text(text)
    assert here(machine)[PROCESSOR_VENDOR] == 1
    machine.run("run", "abs", "--backend", PROCESSOR_VENDOR, "--corpus", machine.corpus)
    identity = json.loads((machine.batch() / "abs" / "run_identity.json").read_text())
    assert identity["vendor"] == PROCESSOR_VENDOR
    assert identity["child"]["torch_device"] == "cpu"


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
