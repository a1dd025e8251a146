import os
import pathlib
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "python"))
sys.dont_write_bytecode = True

from vendor_words import DEVICE, VENDOR  # noqa: E402

PROGRAM = os.environ["ZLBENCH"]

# A backend whose devices are files of the test: everything but the devices is as a real one's.
DESCRIPTOR = """
name: testchip
aliases: [chip]
vendor_name: {vendor}
verified: no
device_name: {device}
vendor_variables: [GEMS_VENDOR, FLAGGEMS_VENDOR]
override_variables:
  - name: PPU_SDK
    reason: decides before every other variable
visibility:
  - name: CHIP_VISIBLE_DEVICES
    empty: none
    accepts_uuid: no
    indices: decimal
    blanks: trimmed
    duplicates: cut
sources:
  - kind: device_nodes
    patterns: ["{folder}/dev/chip{{N}}"]
runtime:
  family: none
capabilities:
  graph_capture: no
  graph_event_times: no
  cluster_launch: no
  stream_wait_value: no
  device_events: yes
"""


class Machine:
    """A place to run zlbench in: its own home, runs folder, backends and devices."""

    def __init__(self, folder):
        self.folder = folder
        self.runs = folder / "runs"
        (folder / "dev").mkdir()
        (folder / "backends").mkdir()
        (folder / "home").mkdir()
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "ZL_RUNS": str(self.runs),
            "ZL_LOCKS": str(folder / "locks"),
            "ZL_PYTHON": "/usr/bin/python3", "PYTHONPATH": str(TESTS / "fakes" / "site"),
            "ZL_BACKEND_DIR": str(folder / "backends"), "PYTHONDONTWRITEBYTECODE": "1",
            "FAKE_TORCH_DEVICES": DEVICE}
        self.corpus = TESTS / "fakes" / "corpus"

    def add_chips(self, count, vendor=VENDOR, device=DEVICE):
        (self.folder / "backends" / "testchip.yaml").write_text(
            DESCRIPTOR.format(folder=self.folder, vendor=vendor, device=device))
        for index in range(count):
            (self.folder / "dev" / f"chip{index}").write_text("")

    def command(self, *words):
        return [PROGRAM, *[str(word) for word in words]]

    def run(self, *words, code=0, **variables):
        done = subprocess.run(self.command(*words), env={**self.environment, **variables},
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def batches(self):
        return sorted(self.runs.glob("*/batch.json"))

    def batch(self):
        (only,) = self.batches()
        return only.parent


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)
