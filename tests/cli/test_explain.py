"""explain: real runs on the stand-in corpus, and logs that are no logs."""

import csv
import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPS = "abs,gated,needs_missing,crash,import_fails,bad_baseline,bad_input"


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    from conftest import Machine
    machine = Machine(tmp_path_factory.mktemp("explain"))
    machine.add_chips(1)
    machine.done = machine.run("batch", "--backend", "testchip", "--corpus", machine.corpus,
                               "--ops", OPS, code=1)
    return machine


def explained(machine, *words, code=0):
    return json.loads(machine.run("explain", "--json", *words, code=code).stdout)


def log_file(machine, content, name="some.log"):
    path = machine.folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_every_failure_of_a_batch_has_its_cause_in_the_status_file(batch):
    with open(batch.batch() / "ops_status.csv", newline="") as file:
        reasons = {row["op"]: row["reason"] for row in csv.DictReader(file)}
    assert reasons["abs"] == ""
    assert reasons["gated"].startswith("[skipped skip-vendor] requires a vendor")
    assert reasons["crash"].startswith("[killed signal-11] signal 11")
    assert reasons["import_fails"].startswith("[collection ")
    assert reasons["bad_baseline"].startswith("[baseline ")
    assert reasons["bad_input"].startswith("[input ")


def test_a_batch_ends_with_its_causes(batch):
    out = batch.done.stdout
    assert "causes, largest first:" in out
    assert re.search(r"^ +1  killed signal-11: crash$", out, re.MULTILINE)
    assert "zlbench explain " + str(batch.batch()) in out


def test_explain_of_a_batch_groups_its_failures_largest_first(batch):
    groups = explained(batch, batch.batch())["groups"]
    sizes = [len(group["operators"]) for group in groups]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(op for group in groups for op in group["operators"]) == sorted(
        op for op in OPS.split(",") if op != "abs")
    text = batch.run("explain", batch.batch()).stdout
    assert "killed signal-11: The process crashed in native code." in text


def test_explain_of_a_run_shows_file_and_line(batch):
    found = explained(batch, batch.batch() / "import_fails")
    assert found["class"] == "collection"
    line = found["first_exception"]
    assert "zl_module_that_is_nowhere" in line["text"]
    text = (batch.batch() / line["source"]).read_text().splitlines()[line["line"] - 1]
    assert "zl_module_that_is_nowhere" in text
    crash = explained(batch, batch.batch() / "crash")
    assert crash["class"] == "killed" and "signal 11" in crash["facts"]
    assert crash["remedy"] and crash["sureness"] == "possible"


def test_a_run_that_passed_has_nothing_to_explain(batch):
    assert "it passed" in batch.run("explain", batch.batch() / "abs").stdout


def test_a_run_folder_alone_is_enough(batch, machine):
    folder = machine.folder / "carried"
    folder.mkdir()
    (folder / "run.log").write_text("E   RuntimeError: Failed to find C compiler.\n")
    found = explained(machine, folder)
    assert (found["subject"], found["rule"]) == ("carried", "F55")


def test_phases_of_a_run_have_their_times(batch):
    events = [json.loads(line) for line in (batch.batch() / "events.jsonl").read_text().splitlines()]
    ended = {event["op"]: event for event in events if event["event"] == "run_ended"}
    assert ended["crash"]["signal"] == 11 and ended["crash"]["phase"] == "candidate"
    assert ended["abs"]["exit"] == 0
    times = ended["abs"]["phase_times_s"]
    assert sum(times.values()) == pytest.approx(ended["abs"]["duration_s"], abs=0.5)


def test_the_backend_of_a_log_decides_whose_kernel_is_foreign(machine):
    path = log_file(machine, """Traceback (most recent call last):
  File "/c/src/flag_gems/runtime/backend/_nvidia/hopper/ops/mm.py", line 1067, in router_gemm
    mm_kernel_splitk[grid](
TypeError: dynamic_func() missing 4 required positional arguments: 'BLOCK_M', 'BLOCK_N', 'BLOCK_K', and 'SPLIT_K'
""")
    assert explained(machine, "--log", path, "--backend", "musa")["class"] == "foreign-kernel"
    assert explained(machine, "--log", path, "--backend", "cuda")["class"] == "tuning-entry"
    assert explained(machine, "--log", path)["rule"] == "F01"


def test_own_rules_add_and_replace(machine):
    folder = machine.folder / "rules"
    folder.mkdir()
    (folder / "own.yaml").write_text("""rules:
- id: OURS
  class: environment
  match: ['license server']
  verdict: The license server is down.
  remedy: Call the people who run it.
  examples: ['no license server']
  near_misses: ['licensed']
""")
    path = log_file(machine, "E   RuntimeError: license server did not answer\n")
    assert explained(machine, "--log", path)["class"] == "unknown"
    found = explained(machine, "--log", path, "--rules", folder)
    assert found["rule"] == "OURS" and str(folder) in found["rule_origin"]
    (folder / "own.yaml").write_text((folder / "own.yaml").read_text().replace("license s", "(s"))
    error = machine.run("explain", "--log", path, "--rules", folder, code=2).stderr
    assert "own.yaml:2" in error and "OURS" in error and error.count("\n") == 1


BAD_LOGS = {
    "empty": (b"", "no-evidence"),
    "blank lines": (b"\n\n \n\t\n", "no-evidence"),
    "binary": (bytes(range(256)) * 400, "no-evidence"),
    "gzip": (b"\x1f\x8b\x08" + os.urandom(40000), "no-evidence"),
    "utf-16": ("\ufeffE   RuntimeError: Failed to find C compiler.\r\n".encode("utf-16-le"),
               "compiler"),
    "cut in the middle of a line": (b"ok\nE   RuntimeError: Failed to find C comp", "unknown"),
    "ansi art": (b"\x1b[2J\x1b[31;1m" + b"\x1b[38;5;9m#\x1b[0m" * 9000
                 + b"\n\x1b[31mE   RuntimeError: Failed to \x1b[1mfind C compiler.\x1b[0m\n",
                 "compiler"),
    "log of another tool": (b"[ 33%] Building CXX object a.o\n[100%] Linking a\n" * 50, "unknown"),
    "contradictory": (b"E   RuntimeError: CUDA error: an illegal memory access was encountered\n"
                      b"E   OSError: [Errno 24] Too many open files\n", "device-fault"),
    "no tracebacks": (b"==== test session starts ====\ncollected 1 item\n"
                      b"==== short test summary info ====\nFAILED a.py::b - Failed:\n"
                      b"==== 1 failed in 1s ====\n", "no-evidence"),
}


@pytest.mark.parametrize("kind", BAD_LOGS)
def test_bad_logs_are_explained_as_what_they_are(machine, kind):
    content, expected = BAD_LOGS[kind]
    path = log_file(machine, content)
    found = explained(machine, "--log", path)
    assert found["class"] == expected, found
    machine.run("explain", "--log", path).stdout.encode("ascii", "replace")


def test_what_cannot_be_read_is_one_line_of_error(machine):
    for words, says in ((("--log", machine.folder / "none"), "no such file"),
                        (("--log", machine.folder), "regular file"),
                        ((machine.folder / "none",), "no folder"),
                        ((machine.folder,), "neither batch.json"),
                        ((), "explain takes one of"),
                        (("a", "--log", "b"), "explain takes one of")):
        error = machine.run("explain", *words, code=2).stderr
        assert says in error and error.count("\n") == 1, error



def test_ten_million_equal_lines_cost_little_memory(machine):
    path = machine.folder / "many.log"
    block = b"warning: falling back\n" * 100000
    with open(path, "wb") as file:
        for _ in range(100):
            file.write(block)
        file.write(b"E   RuntimeError: Failed to find C compiler.\n")
    script = ("import resource,subprocess,sys;"
              "subprocess.run(sys.argv[1:],check=True);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run(["/usr/bin/python3", "-c", script,
                           *machine.command("explain", "--log", path, "--json")],
                          env=machine.environment, capture_output=True, text=True, check=True,
                          timeout=600)
    report, peak_kib = done.stdout.rsplit("}", 1)
    found = json.loads(report + "}")
    assert found["rule"] == "F55" and found["evidence"][0]["line"] == 10000001
    assert int(peak_kib) < 200 * 1024


def checklist():
    """The items of the README's checklist: (classes, rules, quoted texts)."""
    text = (ROOT / "README.md").read_text()
    section = text.split("## When an operator will not run")[1].split("\n## ")[0]
    items = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    for item in items:
        words = re.search(r"\(`([a-z-]+)`((?:, `[a-z-]+`)*)\)", item)
        assert words, item
        classes = re.findall(r"`([a-z-]+)`", words.group(0))
        yield classes, [quote for quote in re.findall(r"`([^`]+)`", item) if ": " in quote]


def rule_classes():
    found = set()
    for path in sorted((ROOT / "src/check/rules").glob("*.yaml")):
        found |= {rule["class"] for rule in yaml.safe_load(path.read_text())["rules"]}
    return found


def test_the_checklist_of_the_readme_and_the_rules_are_one(machine):
    listed = [word for classes, _ in checklist() for word in classes]
    source = (ROOT / "src/check/classes.cc").read_text()
    order = re.findall(r'\{\d+, "([a-z-]+)"', source)
    assert listed == [word for word in order if word in rule_classes()]
    quoted = 0
    for classes, texts in checklist():
        for text in texts:
            quoted += 1
            path = log_file(machine, text + "\n")
            assert explained(machine, "--log", path)["class"] in classes, text
    assert quoted >= 10


def probed(machine, op, **variables):
    done = machine.run("explain", "--json", "--probe", op, "--backend", "testchip", "--corpus",
                       machine.corpus, "--timeout", "30", **variables)
    found = json.loads(done.stdout)
    return found, [line["probe"] for line in found["probes"]]


def test_the_cheapest_probe_that_fails_names_the_stack(machine):
    machine.add_chips(1)
    found, tried = probed(machine, "bad_baseline", FAKE_BROKEN_ADD="1")
    assert found["class"] == "stack"
    assert tried == ["as it is", "four ones plus one on the device"]
    assert "invalid device function" in found["probes"][1]["outcome"]


def test_probes_go_on_until_one_changes_the_failure(machine):
    machine.add_chips(1)
    found, tried = probed(machine, "bad_baseline")
    assert found["class"] == "baseline", found
    assert tried == ["as it is", "four ones plus one on the device",
                     "a vector addition in Triton, ten lines", "small shapes, one dtype",
                     "the candidate alone (--metrics latency)"]
    outcomes = [line["outcome"].rsplit(", ", 1)[0] for line in found["probes"]]
    assert outcomes[:4] == ["partial, baseline baseline-end", "passes", "passes", outcomes[0]]
    assert outcomes[4] != outcomes[0]


def test_a_failure_that_no_probe_changes_is_the_operators_own(machine):
    machine.add_chips(1)
    found, tried = probed(machine, "crash")
    assert found["class"] is None and "the operator's own" in found["verdict"]
    assert len(tried) == 8


def test_an_operator_that_runs_needs_no_probe(machine):
    machine.add_chips(1)
    found, tried = probed(machine, "abs")
    assert found["class"] is None and tried == ["as it is"]
