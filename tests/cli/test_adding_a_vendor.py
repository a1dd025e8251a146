"""docs/adding-a-vendor.md, followed literally: its commands, typed in order into one shell."""

import pathlib
import re
import subprocess

import pytest

from conftest import PROGRAM, TESTS

DOCUMENT = (TESTS.parent / "docs" / "adding-a-vendor.md").read_text()
STABLE = ("backends", "devices", "grep")  # what the document shows of these is what everybody sees


def blocks():
    walk = DOCUMENT[DOCUMENT.index("## A walk-through"):DOCUMENT.index("## Fields")]
    return re.findall(r"```\n(.*?)```", walk, re.DOTALL)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Command to what it printed; commands with an output begin with a dollar sign there."""
    folder = tmp_path_factory.mktemp("try")
    lines = []
    for block in blocks():
        first = block.split("\n")[0]
        lines.append(f"echo '@@@'\n{first[2:]} || exit 9" if first.startswith("$ ") else block)
    script = folder / "walk.sh"
    script.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["/bin/bash", script], cwd=folder, capture_output=True, text=True,
                          timeout=300, env={
                              "HOME": str(folder), "ZLBENCH_SOURCE": str(TESTS.parent),
                              "PATH": f"{pathlib.Path(PROGRAM).parent}:/usr/bin:/bin"})
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.replace(str(folder), "/opt/try").split("@@@\n")[1:]
    commands = [block.split("\n", 1) for block in blocks() if block.startswith("$ ")]
    assert len(printed) == len(commands)
    return [(command[2:], expected, text)
            for (command, expected), text in zip(commands, printed)]


def test_what_is_shown_is_what_everybody_sees(shown):
    checked = []
    for command, expected, text in shown:
        word = next((word for word in STABLE if command.split()[0] == word
                     or command.startswith(f"zlbench {word}")), None)
        if word:
            assert text == expected, command
            checked.append(word)
    assert sorted(checked) == sorted(STABLE)


def test_the_operator_passes_with_the_vendor(shown):
    (run,) = [text for command, _expected, text in shown if " zlbench run " in command]
    assert "1 operator: 1 passed" in run


def test_the_plan_is_the_one_shown(shown):
    (found,) = [(expected, text) for command, expected, text in shown
                if command.startswith("zlbench plan")]
    for line in ("GEMS_VENDOR=thead", "CUDA_VISIBLE_DEVICES=0   # pins device 0",
                 "timer      upstream (", "omit graph_capture   backend thead lacks"):
        assert line in found[0] and line in found[1], line
