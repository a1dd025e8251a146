"""The five answers to which vendor's device this is: each that contradicts ends the child before
its first operator, with a text that has all five and the variable."""

import pytest

from parent import make_plan
from vendor_words import (DEVICE, FORCED_VENDOR, FORCING_VARIABLE, OTHER_DEVICE,
                          OTHER_DEVICE_VENDOR, OTHER_VENDOR, VENDOR)

ABS = "test_abs.py::test_abs"
UUID, OTHER_UUID = ("11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555")
WHO = ("descriptor:", "hardware:", "torch:", "corpus:", "triton:")


def mismatch(child):
    (note,) = child.notes("VENDOR_MISMATCH")
    assert note["level"] == "error" and (child.status, child.bye["exit_status"]) == (4, 4)
    assert child.all("case_begin") == [] and child.bye["failed_in"] == "import"
    assert [who for who in WHO if who in note["text"]] == list(WHO), note["text"]
    assert "ZL_BACKEND" in note["text"] and "\n" not in note["text"]
    return note["text"]


def device_plan(uuid, name="Stand-in 9000", **backend):
    return make_plan(backend=backend, device={"index": 3, "uuid": uuid, "name": name})


def test_hardware_that_torch_does_not_see(run):
    text = mismatch(run(ABS, plan=device_plan("CHIP-" + UUID), env={
        "FAKE_DEVICE_UUID": OTHER_UUID, "CHIP_VISIBLE_DEVICES": "0"}))
    assert f"the plan's device is {UUID}, but torch sees {OTHER_UUID}" in text
    assert "because of CHIP_VISIBLE_DEVICES=0" in text
    assert f"hardware: device 3 Stand-in 9000 CHIP-{UUID}" in text


@pytest.mark.parametrize("plan, seen", [
    (device_plan("CHIP-" + UUID.upper()), UUID),  # the case and the prefix are spelling
    (device_plan("CHIP-" + UUID, name="Stand-in"), OTHER_UUID),  # a part of the device
    (device_plan("CHIP-0123456789abcdef"), OTHER_UUID),  # not of one form
    (device_plan(None), OTHER_UUID),
    (make_plan(), OTHER_UUID)])
def test_hardware_that_may_well_be_the_same(run, plan, seen):
    child = run(ABS, plan=plan, env={"FAKE_DEVICE_UUID": seen})
    assert child.status == 0 and child.notes("VENDOR_MISMATCH") == []


def test_torch_without_the_device_module(run):
    text = mismatch(run(ABS, plan=make_plan(backend={
        "vendor": OTHER_DEVICE_VENDOR, "torch_device": OTHER_DEVICE})))
    assert f"has no torch.{OTHER_DEVICE}" in text and "corpus: not asked" in text


def test_torch_without_a_device(run):
    text = mismatch(run(ABS, env={"FAKE_DEVICE_COUNT": "0", "CHIP_VISIBLE_DEVICES": "7"}))
    assert f"torch.{DEVICE} has no device (because of CHIP_VISIBLE_DEVICES=7" in text


def test_torch_built_for_another_vendor_with_the_same_word(run):
    text = mismatch(run(ABS, plan=make_plan(backend={"vendor": OTHER_VENDOR}), env={
        "FAKE_TORCH_RUNTIMES": "cuda=13.0"}))
    assert f"vendor {OTHER_VENDOR} needs a torch built for hip" in text and "cuda 13.0" in text


def test_torch_built_for_it(run):
    child = run(ABS, env={"FAKE_TORCH_RUNTIMES": "cuda=13.0"})
    assert child.status == 0 and child.identity["torch_runtimes"] == {"cuda": "13.0"}


def test_corpus_that_a_variable_leads_elsewhere(run):
    text = mismatch(run(ABS, plan=make_plan(backend={"override_variables": []}), env={
        FORCING_VARIABLE: "/opt/sdk", "ZL_BACKEND": "chosen-so"}))
    assert f"the corpus chose vendor {FORCED_VENDOR}" in text
    assert f"because of {FORCING_VARIABLE}=/opt/sdk" in text and "(now chosen-so)" in text


def test_corpus_that_cannot_work_with_the_vendor(run):
    text = mismatch(run(ABS, plan=make_plan(backend={"vendor": OTHER_DEVICE_VENDOR})))
    assert f"works on torch.{OTHER_DEVICE}" in text and "triton: not asked" in text


def test_triton_that_compiles_for_another_vendor(run):
    text = mismatch(run(ABS, env={"FAKE_TRITON_TARGET": "hip", "TRITON_DEFAULT_BACKEND": "x"}))
    assert f"Triton compiles for hip, vendor {VENDOR} needs cuda" in text
    assert "because of TRITON_DEFAULT_BACKEND=x" in text and "triton/__init__.py" in text


def test_triton_without_an_active_backend(run):
    text = mismatch(run(ABS, env={"FAKE_TRITON_TARGET": "none"}))
    assert "Triton cannot choose a backend: 0 active drivers" in text


def test_triton_of_a_vendor_that_was_not_looked_up_is_not_judged(run):
    plan = make_plan(backend={"vendor": FORCED_VENDOR, "override_variables": []})
    child = run(ABS, plan=plan, env={"FAKE_TRITON_TARGET": "anything"})
    assert child.status == 0 and child.identity["triton_target"]["backend"] == "anything"


def test_everything_that_is_wrong_is_told(run):
    text = mismatch(run(ABS, env={"FAKE_TRITON_TARGET": "hip", "FAKE_DEVICE_COUNT": "0"}))
    assert "has no device" in text and "compiles for hip" in text
