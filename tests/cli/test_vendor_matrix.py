"""The whole program on each vendor's own descriptor: stand-ins for its management library and its
runtime lie where the loader looks, and the stand-in corpus runs on them end to end."""

import csv
import json
import time
from typing import NamedTuple

import pytest

from engine_parent import BUILD, ENGINE_SITE, runtime_library


class Vendor(NamedTuple):
    backend: str
    vendor: str       # the corpus' name for it
    torch_device: str
    management: tuple  # the library's name as the descriptor has it, and the stand-in's
    runtime: tuple
    prefix: str       # of the runtime's entry points that the stand-in torch calls
    scripted_by: str  # what begins the variables that script the management library
    source: str
    name: str         # what the stand-in calls its device
    pin: tuple        # the variable that ties a child to device 0
    timer: str
    uuid: str = ""    # where torch gives the same one


VENDORS = [
    Vendor("cuda", "nvidia", "cuda", ("libnvidia-ml.so.1", "nvml"), ("libcuda.so.1", "cu"), "cu",
           "FAKE_NVML", "nvml", "Fake H200",
           ("CUDA_VISIBLE_DEVICES", "GPU-a0000000-1111-2222-3333-444444444444"), "graph",
           "a0000000-1111-2222-3333-444444444444"),
    Vendor("musa", "mthreads", "musa", ("libmtml.so", "mtml"), ("libmusa.so.1.5", "mu"), "mu",
           "FAKE_MTML", "mtml", "Fake MTT S5000 0", ("MUSA_VISIBLE_DEVICES", "0"), "graph"),
    Vendor("rocm", "amd", "cuda", ("libamd_smi.so.25", "amdsmi"), ("libamdhip64.so.6", "hip"),
           "base_", "FAKE_AMDSMI", "amdsmi", "Fake MI300X 0", ("ROCR_VISIBLE_DEVICES", "0"),
           "graph"),
    Vendor("rocm", "amd", "cuda", ("librocm_smi64.so.5", "rocm_smi"), ("libamdhip64.so.5", "hip"),
           "base_", "FAKE_RSMI", "rocm_smi", "Fake MI250 0",
           ("ROCR_VISIBLE_DEVICES", "GPU-0123456789abcde0"), "graph"),
    Vendor("ascend", "ascend", "npu", ("libdcmi.so", "dcmi"), ("libascendcl.so", "acl"), "base_",
           "FAKE_DCMI", "dcmi", "Fake 910B3", ("ASCEND_RT_VISIBLE_DEVICES", "0"), "direct"),
]
every_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.source)


def put(machine, *vendors):
    """Their libraries where the loader looks."""
    folder = machine.folder / "lib"
    folder.mkdir()
    for vendor in vendors:
        for name, target in (
                (vendor.management[0],
                 BUILD / "tests" / "fakes" / "vendor_lib" / f"libfake_{vendor.management[1]}.so"),
                (vendor.runtime[0], runtime_library(vendor.runtime[1]))):
            if not (folder / name).exists():
                (folder / name).symlink_to(target)
    machine.environment["LD_LIBRARY_PATH"] = str(folder)


def as_on(machine, vendor):
    put(machine, vendor)
    machine.environment.update(
        ZL_BACKEND=vendor.backend, FAKE_TORCH_DEVICES=vendor.torch_device,
        FAKE_RUNTIME_LIBRARY=str(runtime_library(vendor.runtime[1])),
        FAKE_RUNTIME_PREFIX=vendor.prefix,
        PYTHONPATH=f"{ENGINE_SITE}:{machine.environment['PYTHONPATH']}")
    if vendor.uuid:
        machine.environment["FAKE_DEVICE_UUID"] = vendor.uuid


def identity(machine, op):
    return json.loads((machine.batch() / op / "run_identity.json").read_text())


@every_vendor
def test_a_batch_says_whose_device_it_ran_on(machine, vendor):
    as_on(machine, vendor)
    machine.run("batch", "--corpus", machine.corpus, "--ops", "engine_clean")
    with open(machine.batch() / "ops_status.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["status"], row["timer"], row["shapes"]) == ("passed", vendor.timer, "2"), row
    found = identity(machine, "engine_clean")
    assert (found["backend"], found["vendor"]) == (vendor.backend, vendor.vendor)
    assert found["device"]["name"] == vendor.name
    assert found["backend_chosen_by"] == f"ZL_BACKEND={vendor.backend}"
    assert found["timer"] == vendor.timer
    assert {caliber.partition("-")[0] for caliber in found["calibers"]} == {vendor.timer}
    assert found["child"]["corpus_vendor"] == vendor.vendor
    assert found["child"]["torch_device"] == vendor.torch_device
    assert found["child"]["env"][vendor.pin[0]] == vendor.pin[1]


@every_vendor
def test_without_a_choice_the_library_that_answers_decides(machine, vendor):
    put(machine, vendor)
    (device,) = json.loads(machine.run("devices", "--json").stdout)
    assert (device["backend"], device["source"]) == (vendor.backend, vendor.source)
    assert device["name"] == vendor.name and device["visible"] is True


@every_vendor
def test_sixteen_devices_and_a_mask(machine, vendor):
    as_on(machine, vendor)
    count = {f"{vendor.scripted_by}_{word}": "16" for word in ("DEVICES", "CARDS")}
    variable = vendor.pin[0]
    listed = json.loads(machine.run("devices", "--json", **count, **{variable: "3,7"}).stdout)
    assert [device["index"] for device in listed] == list(range(16))
    assert [device["index"] for device in listed if device["visible"]] == [3, 7]
    for bad in ("99", "-1", "7,7", "1 2"):
        failed = machine.run("batch", "--corpus", machine.corpus, "--ops", "engine_clean",
                             "--devices", bad, code=2, **count)
        assert "--devices" in failed.stderr and failed.stderr.count("\n") == 1, failed.stderr


@every_vendor
def test_no_device_and_a_start_that_fails_are_told(machine, vendor):
    as_on(machine, vendor)
    none = {f"{vendor.scripted_by}_{word}": "0" for word in ("DEVICES", "CARDS")}
    command = ("batch", "--corpus", machine.corpus, "--ops", "engine_clean")
    assert "lists no device" in machine.run(*command, code=4, **none).stderr
    failed = machine.run(*command, code=4, **{f"{vendor.scripted_by}_INIT": "8"})
    assert "does not start" in failed.stderr and "code 8" in failed.stderr


@every_vendor
def test_a_forcing_variable_is_removed_and_noted(machine, vendor):
    """FlagGems would take this vendor's device for that of the variable."""
    as_on(machine, vendor)
    done = machine.run("batch", "--corpus", machine.corpus, "--ops", "engine_clean",
                       PPU_SDK="/opt/sdk", GEMS_VENDOR="somebody_else")
    assert "PPU_SDK is set here and is removed" in done.stderr
    child = identity(machine, "engine_clean")["child"]
    assert child["corpus_vendor"] == vendor.vendor and "PPU_SDK" not in child["env"]
    assert child["env"]["GEMS_VENDOR"] == vendor.vendor


def wrong_vendor(machine, **variables):
    machine.run("batch", "--corpus", machine.corpus, "--ops", "engine_clean", code=1, **variables)
    with open(machine.batch() / "ops_status.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["status"] == "wrong_vendor", row
    for who in ("descriptor: ", "hardware: device 0", "torch: ", "corpus: ", "triton: "):
        assert who in row["reason"], row["reason"]
    assert "choose another backend with ZL_BACKEND (now " in row["reason"]
    return row["reason"]


@every_vendor
def test_a_compiler_for_another_vendor_ends_the_run_before_its_first_operator(machine, vendor):
    as_on(machine, vendor)
    reason = wrong_vendor(machine, FAKE_TRITON_TARGET="elsewhere", TRITON_DEFAULT_BACKEND="x")
    assert f"Triton compiles for elsewhere, vendor {vendor.vendor} needs" in reason
    assert "because of TRITON_DEFAULT_BACKEND=x" in reason
    assert vendor.name in reason


@every_vendor
def test_a_runtime_that_does_not_start_is_told(machine, vendor):
    """As the stub of a driver's library, which is there to link against, answers. Where graphs
    were promised that ends the run; else the corpus' own timer measures."""
    as_on(machine, vendor)
    needs_engine = vendor.timer == "graph"
    done = machine.run("batch", "--corpus", machine.corpus, "--ops", "engine_clean",
                       code=1 if needs_engine else 0, FAKE_RUNTIME_INIT="34")
    with open(machine.batch() / "ops_status.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["status"] == ("failed" if needs_engine else "passed"), row
    text = row["reason"] if needs_engine else done.stderr
    assert "starting the runtime failed" in text
    assert needs_engine or row["timer"] == "upstream", row


def test_hardware_that_torch_does_not_see(machine):
    as_on(machine, VENDORS[0])
    reason = wrong_vendor(machine, FAKE_DEVICE_UUID="99999999-1111-2222-3333-444444444444")
    assert "but torch sees 99999999-" in reason
    assert "because of " in reason and "=".join(VENDORS[0].pin) in reason


HANGING = {f"{vendor.scripted_by}_INIT": "hang" for vendor in VENDORS}


@pytest.mark.parametrize("command", ["devices", "backends"])
def test_libraries_that_hang_cost_one_limit_together(machine, command):
    put(machine, *VENDORS)
    begin = time.monotonic()
    shown = machine.run(command, **HANGING)
    took_s = time.monotonic() - begin
    for vendor in VENDORS:
        assert f"{vendor.source}: the library or its driver did not answer" in shown.stderr
    assert took_s < 5, "one after the other they would take nine seconds"
    assert "cpu" in shown.stdout


def test_a_backend_that_is_named_asks_no_other(machine):
    put(machine, *VENDORS)
    hanging = {name: how for name, how in HANGING.items() if not name.startswith("FAKE_MTML")}
    shown = machine.run("devices", "--backend", "musa", **hanging)
    assert shown.stderr == "" and "Fake MTT S5000 0" in shown.stdout


def test_readings_are_shown_where_there_are_any(machine):
    as_on(machine, VENDORS[0])
    (device,) = json.loads(machine.run("devices", "--json", FAKE_NVML_PROCESSES="1",
                                       FAKE_NVML_REASONS="4", FAKE_NVML_MIG="1").stdout)
    assert device["processes"] == [{"pid": 100, "memory_bytes": 1000}]
    assert device["throttle_reasons"] == ["power_cap"]
    assert device["instances"][0]["uuid"].startswith("MIG-")
    assert (device["driver"], device["power_w"], device["health"]) == ("580.1.fake", 76.5, "ok")
    table = machine.run("devices").stdout.splitlines()
    assert table[0].split()[-8:] == ["busy", "MHz", "C", "W", "health", "pci", "uuid", "visible"]
    assert " 345 41 76 ok " in " ".join(table[1].split())


def test_what_a_library_does_not_tell_is_absent(machine):
    as_on(machine, VENDORS[1])
    (device,) = json.loads(machine.run("devices", "--json").stdout)
    assert device["temperature_c"] == 45
    assert not {"processes", "busy_processes", "throttle_reasons", "power_limit_w",
                "architecture"} & device.keys()
