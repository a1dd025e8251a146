"""A small stand-in for zlbench: starts the real pytest with the real plug-ins on the stand-in
corpus, grants leases, and keeps every message."""

import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import time

from vendor_words import DEVICE, FORCED_VENDOR, FORCING_VARIABLE, OTHER_DEVICE_VENDOR, OTHER_VENDOR
from vendor_words import VENDOR

TESTS = pathlib.Path(__file__).resolve().parent.parent
CORPUS = TESTS / "fakes" / "corpus"
SITE = TESTS / "fakes" / "site"
PLUGINS_FOLDER = TESTS.parent / "python"

DEFAULT_PLUGINS = ("device_setup", "results", "timing", "kernels")


def make_plan(**changes):
    backend = {
        "name": "fake-backend", "vendor": VENDOR, "torch_device": DEVICE, "torch_module": None,
        "capabilities": {}, "override_variables": [FORCING_VARIABLE],
        "vendor_variables": ["GEMS_VENDOR", "FLAGGEMS_VENDOR", "GEMS_BACKEND", "FLAGGEMS_BACKEND"]}
    backend.update(changes.pop("backend", {}))
    plan = {"format": 1, "backend": backend, "timer": "upstream",
            "known_vendors": [VENDOR, OTHER_VENDOR, FORCED_VENDOR, OTHER_DEVICE_VENDOR],
            "shapes": {"mode": "upstream"}}
    return {**plan, **changes}


class Child:
    """One run of the child, from start to end. `messages` holds what it said, in order."""

    def __init__(self, folder, nodes, plan=None, plugins=DEFAULT_PLUGINS, env=None, site=SITE,
                 arguments=(), corpus=CORPUS, grants=True, channel=True, board=None):
        self.folder = folder
        self.messages = []
        self.broken_lines = []
        self._grants = grants
        self._incoming = b""
        self._ours, theirs = socket.socketpair()
        self.log_path = folder / "run.log"
        plan_path = folder / "plan.json"
        plan_path.write_text(plan if isinstance(plan, str) else json.dumps(plan or make_plan()))
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-rA"]
        for name in plugins:
            command += ["-p", f"zlbench_plugins.{name}"]
        variables = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{PLUGINS_FOLDER}:{site}", "ZL_PLAN": str(plan_path),
            "TRITON_CACHE_DIR": str(folder / "triton"), "FLAGGEMS_CACHE_DIR": str(folder / "gems")}
        if channel:
            variables["ZL_CHANNEL_FD"] = str(theirs.fileno())
        if board is not None:
            variables["ZL_BOARD_FD"] = str(board)
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [*command, *nodes, *arguments], cwd=corpus, env={**variables, **(env or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[theirs.fileno(), *([] if board is None else [board])],
                start_new_session=True)
        theirs.close()

    def say(self, message):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self._ours.sendall(raw)

    def grant_from_now_on(self):
        self._grants = True

    def hang_up(self):
        self._ours.close()

    def wait_for(self, kind, timeout_s=20):
        """Reads on until a message of this type; the message."""
        return self._read(lambda message: message["type"] == kind, timeout_s)

    def finish(self, timeout_s=30):
        """Reads until the channel closes and the process has ended; the exit status."""
        if self._ours.fileno() >= 0:
            self._read(lambda message: False, timeout_s)
        return self.process.wait(timeout_s)

    def _read(self, is_it, timeout_s):
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if not select.select([self._ours], [], [], max(0, end - time.monotonic()))[0]:
                break
            try:
                chunk = self._ours.recv(1 << 16)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                return None
            *lines, self._incoming = (self._incoming + chunk).split(b"\n")
            found = [message for line in lines if (message := self._take(line)) and is_it(message)]
            if found:
                return found[0]
        raise AssertionError(f"nothing more within {timeout_s} s; so far {self.messages}\n"
                             f"{self.log}")

    def _take(self, line):
        try:
            message = json.loads(line, parse_constant=lambda name: 1 / 0)
        except (ValueError, ZeroDivisionError):
            self.broken_lines.append(line)
            return None
        self.messages.append(message)
        if message["type"] == "device_wanted":
            self._try_to_say({"type": "device_granted"})
        if message["type"] == "lease_wanted" and self._grants:
            self._try_to_say({"type": "lease_granted"})
        return message

    def _try_to_say(self, message):
        """The child may have ended in the meantime."""
        try:
            self.say(message)
        except OSError:
            pass

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self._ours.close()

    # What a test asks for.

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def all(self, kind):
        return [message for message in self.messages if message["type"] == kind]

    def only(self, kind):
        (message,) = self.all(kind)
        return message

    @property
    def bye(self):
        return self.only("bye")

    def notes(self, code):
        return [note for note in self.all("note") if note["code"] == code]

    @property
    def identity(self):
        """Merged field by field, as the parent does."""
        merged = {}
        for message in self.messages:
            if message["type"] in ("hello", "identity"):
                merged.update(message.get("identity", {}))
        return merged

    def cases(self):
        """Case id to begin, end, sides measured and kernels."""
        found = {}
        for message in self.messages:
            kind, name = message["type"], message.get("case")
            if kind == "case_begin":
                found[name] = {"begin": message, "end": None, "sides": [], "kernels": []}
            elif kind == "measurement":
                found[name]["sides"].append(message["side"])
            elif kind == "kernel":
                found[name]["kernels"].append(message)
            elif kind == "case_end":
                assert found[name]["end"] is None, f"{name} ended twice"
                found[name]["end"] = message
        return found
