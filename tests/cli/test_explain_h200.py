"""Failures that were provoked through the corpus on an H200 (torch 2.11, triton 3.6, FlagGems
ed2508b), as their run folders were left; machine paths and the device's UUID are made up."""

import json

import pytest

from conftest import TESTS

FOLDERS = TESTS / "data" / "h200_failures"


@pytest.mark.parametrize("folder, cause, rule", [
    ("illegal", "device-fault", "F23"), ("oom", "memory", "OOM-over-device"),
    ("tuning", "tuning-entry", "F01"), ("hang", "hang", "F94"),
    ("baseline", "baseline", "baseline-end"), ("missing", "skipped", "skip-baseline")])
def test_each_is_explained_rightly(machine, folder, cause, rule):
    told = json.loads(machine.run("explain", FOLDERS / folder / f"zf_{folder}", "--json").stdout)
    assert (told["class"], told["rule"]) == (cause, rule), told
    assert told["evidence"] or told["facts"]


def test_what_follows_a_device_fault_is_collateral(machine):
    text = machine.run("explain", FOLDERS / "illegal" / "zf_illegal").stdout
    assert "2 failures after the device fault say nothing" in text
