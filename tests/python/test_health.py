"""The question whether a device still works."""

import os
import subprocess
import sys

import pytest

from parent import PLUGINS_FOLDER, SITE
from vendor_words import DEVICE


def ask(*words, site=SITE, **variables):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{PLUGINS_FOLDER}:{site}",
                   "FAKE_TORCH_DEVICES": DEVICE, **variables}
    return subprocess.run([sys.executable, "-m", "zlbench_plugins.health", *words],
                          env=environment, capture_output=True, text=True, timeout=60)


def test_a_device_that_calculates_is_well():
    assert ask(DEVICE).returncode == 0


def test_a_device_that_does_not_answer_is_not(tmp_path):
    (tmp_path / "lost-0").write_text("")
    lost = ask(DEVICE, FAKE_LOST_FOLDER=str(tmp_path), CHIP_VISIBLE_DEVICES="0")
    assert lost.returncode == 1 and "the device does not answer" in lost.stderr


@pytest.mark.parametrize("words, site", [([DEVICE, "no_such_module"], SITE), (["elsewhere"], SITE),
                                         ([DEVICE], "/nowhere")])
def test_what_cannot_be_asked_says_nothing_of_the_device(words, site):
    asked = ask(*words, site=site)
    assert asked.returncode == 0, asked.stderr
    assert words[-1] in asked.stdout or "torch cannot be imported" in asked.stdout
