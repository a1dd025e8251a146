"""The include table of ARCHITECTURE.md, and the rule that vendors are named below src/backend/vendors only."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]

MAY_INCLUDE = {
    "base": [],
    "backend": ["base"],
    "timing": ["backend/runtime.h", "backend/device_state.h", "base"],
    "provider": ["base"],
    "results": ["base"],
    "native": ["timing", "provider", "results", "base"],
    "run": ["provider", "backend", "results", "base"],
    "batch": ["run", "provider", "backend", "results", "base"],
    "check": ["provider", "backend", "results", "base"],
    "report": ["results", "base"],
    "cli": ["batch", "check", "run", "native", "report", "provider", "backend", "timing", "results", "base"],
}
# Words that are no vendor's alone.
PLAIN_WORDS = {"cpu", "host", "nv", "hip", "amd", "arm"}


def sources(folder, *patterns):
    return [path for pattern in patterns for path in sorted((ROOT / folder).rglob(pattern))]


def test_every_folder_has_a_row():
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert folders == set(MAY_INCLUDE)


def test_includes_follow_the_table():
    wrong = []
    for path in sources("src", "*.h", "*.cc"):
        parts = path.relative_to(ROOT / "src").parts
        folder = parts[0]
        if len(parts) == 1:
            continue  # main.cc calls cli
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            target = included.split("/")[0]
            allowed = target == folder or any(
                included == entry or target == entry for entry in MAY_INCLUDE[folder])
            public = included.startswith("zlbench/") and folder in ("native", "provider")
            if not allowed and not public:
                wrong.append(f"{path.relative_to(ROOT)} includes {included}")
    assert not wrong


def test_the_table_is_the_one_in_the_architecture_document():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for folder, allowed in MAY_INCLUDE.items():
        row = re.search(rf"^\| `{folder}` \| ([^|]*) \|", text, re.MULTILINE)
        assert row, folder
        assert sorted(re.findall(r"`([^`]+)`", row.group(1))) == sorted(allowed), folder


def vendor_words():
    words = set()
    for path in sources("src/backend/vendors", "*.yaml"):
        descriptor = yaml.safe_load(path.read_text())
        words.update([descriptor["name"], descriptor.get("vendor_name") or ""])
        words.update(descriptor.get("aliases") or [])
    return {word.lower() for word in words if word} - PLAIN_WORDS


def test_vendors_are_named_in_one_place():
    """In C++, Python and scripts. src/check/rules and src/check/probes are data made of what vendors'
    software prints and reads, which cannot be said in other words; their YAML is not searched, the
    scripts beside it are."""
    words = vendor_words()
    assert len(words) >= 8
    pattern = re.compile(r"(?<![a-z])(" + "|".join(sorted(words)) + r")(?![a-z])", re.IGNORECASE)
    files = (sources("src", "*.h", "*.cc") + sources("include", "*.h") + sources("corpus", "*.h", "*.cc")
             + sources("python", "*.py") + sources("scripts", "*.sh") + sources("src/check", "*.py"))
    wrong = []
    for path in files:
        relative = path.relative_to(ROOT).as_posix()
        if relative.startswith(("src/backend/vendors/", "python/zlbench_plugins/vendors")):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if pattern.search(line):
                wrong.append(f"{relative}:{number}: {line.strip()}")
    assert not wrong


def test_files_and_functions_stay_readable():
    long_files = [str(path.relative_to(ROOT)) for path in sources("src", "*.h", "*.cc")
                  if len(path.read_text().splitlines()) > 400]
    assert not long_files


def test_nothing_names_a_machine():
    pattern = re.compile(r"/work/|/root/|/home/[a-z]|pypi\.org|deb\.debian\.org")
    wrong = []
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        is_ours = not parts[0].startswith(".") and parts[0] not in ("build", "zlbench-runs")
        if not is_ours or not path.is_file() or path == Path(__file__):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        wrong += [f"{'/'.join(parts)}: {found}" for found in pattern.findall(text)]
    assert not wrong
