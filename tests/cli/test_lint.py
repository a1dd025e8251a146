"""zlbench lint as a program: exit codes, choice of rules, suppressions, formats, cache, bad input."""

import json
import os
import pathlib
import re

import jsonschema
import pytest

from lint_corpus import ROOT, Linter

TESTS = pathlib.Path(__file__).resolve().parent.parent
SARIF = jsonschema.Draft202012Validator(json.loads((TESTS / "data" / "sarif-used.schema.json").read_text()))
VERSION_TEST = 'import triton\n\nNEW = triton.__version__ >= "3.6"%s\n'  # one warning, SV1
DEAD = 'import flag_gems\n\nX = flag_gems.vendor_name == ["a"]\n'  # one error, VL1
WAIT = "def add(a):\n    return a.item()\n"  # one note, CU1


@pytest.fixture
def linter(machine):
    return Linter(machine)


def mixed(linter):
    linter.add(tests_warning=VERSION_TEST % "", tests_error=DEAD)
    linter.write(ROOT + "ops/add.py", WAIT)


# --- exit codes and the choice of rules


@pytest.mark.parametrize("words,code", [
    ([], 1), (["--exclude", "VL1"], 0), (["--exclude", "VL1", "--fail-on", "warning"], 1),
    (["--exclude", "VL1,SV1", "--fail-on", "warning"], 0), (["--exclude", "VL1, SV1", "--fail-on", "note"], 1),
    (["--exclude", "VL1", "--exclude", "SV1,CU1", "--fail-on", "note"], 0),
    (["--rule", "SV1"], 0), (["--rule", "SV1", "--fail-on", "warning"], 1), (["--rule", "never-true"], 1),
    (["--rule", "VL1", "--exclude", "VL1"], 0)])
def test_the_exit_code_is_that_of_the_gravest_finding(linter, words, code):
    mixed(linter)
    linter.run(*words, code=code)


def test_json_has_its_short_form(linter):
    mixed(linter)
    assert json.loads(linter.run("--json", code=1).stdout)["vendors"] == ["alder", "birch", "cedar"]
    linter.run("--json", "--format", "sarif", code=2)


def test_a_rule_before_the_corpus_does_not_swallow_it(linter):
    mixed(linter)
    assert "SV1" in linter.machine.run("lint", "--rule", "SV1", "--exclude", "CU1", linter.root).stdout


def test_every_finding_has_place_rule_vendors_and_remedy(linter):
    mixed(linter)
    out = linter.run(code=1).stdout
    assert 'tests/test_error.py:3: error VL1: flag_gems.vendor_name == ["a"] is false on every vendor' in out
    assert "    on: every vendor\n    fix: write in\n" in out
    assert re.search(r"^ +1  SV1  A version is compared letter by letter\.$", out, re.MULTILINE)
    assert out.endswith("21 files, 3 vendors: 1 error, 1 warning, 1 note\n")


def test_the_corpus_may_be_named_by_a_variable(linter):
    mixed(linter)
    done = linter.machine.run("lint", code=1, ZL_CORPUS=str(linter.root))
    assert "error VL1" in done.stdout


@pytest.mark.parametrize("words,says", [
    (["--rule", "FV2"], "--rule 'FV2': no such rule"), (["--exclude", "foreign-vendor-imports"], "Did you mean"),
    (["--rule", ""], "no such rule"), (["--format", "xml"], "xml"), (["--fail-on", "never"], "never")])
def test_wrong_words_are_usage_errors(linter, words, says):
    assert says in linter.run(*words, code=2).stderr


def test_no_corpus_named(machine):
    assert "lint needs a corpus" in machine.run("lint", code=2).stderr


# --- suppressions


@pytest.mark.parametrize("comment", [
    "  # zlbench: ignore[SV1] only 3.6 and 3.7 are ever installed",
    "  # noqa  # zlbench: ignore[CU1, SV1]: both known"])
def test_a_comment_with_a_reason_silences_its_line(linter, comment):
    linter.add(tests_x=VERSION_TEST % comment)
    linter.run("--fail-on", "note")
    (entry,) = linter.findings()
    assert entry["suppressed"] == comment.split("] ")[-1].split("]: ")[-1]


def test_a_comment_on_its_own_line_is_for_the_next(linter):
    comment = "# zlbench: ignore[SV1] known\n# and more to say\n"
    linter.write("tests/test_x.py", (VERSION_TEST % "").replace("NEW", comment + "NEW") + "OLD = triton.__version__ < '3'\n")
    assert [entry["suppressed"] for entry in linter.findings("SV1")] == ["known", None]


def test_a_comment_for_the_whole_file(linter):
    linter.add(tests_x="# zlbench: ignore-file[SV1] generated\n" + VERSION_TEST % "")
    assert "1 suppressed" in linter.run("--fail-on", "note").stdout


@pytest.mark.parametrize("comment,says", [
    ("# zlbench: ignore[SV1]", "gives no reason"), ("# zlbench: ignore[XX1] because", "names XX1, which is no rule"),
    ("# zlbench: ignore because", "names no rule"), ("# zlbench: ignore[] because", "names no rule"),
    ("# zlbench: ignore[FV1] because", "suppresses nothing: no finding of FV1 here")])
def test_a_comment_that_suppresses_nothing_is_a_finding(linter, comment, says):
    linter.add(tests_x=VERSION_TEST % ("  " + comment))
    (useless,) = linter.findings("SU1")
    assert says in useless["message"]
    (entry,) = linter.findings("SV1")
    assert entry["suppressed"] is None


def test_a_text_that_looks_like_a_comment_is_none(linter):
    linter.add(tests_x=VERSION_TEST % '; TEXT = "# zlbench: ignore[SV1] no comment"')
    assert [entry["rule"] for entry in linter.findings()] == ["SV1"]


# --- formats


def sarif(linter, *words):
    log = json.loads(linter.machine.run("lint", linter.root, "--format", "sarif", *words, code=1).stdout)
    assert [error.message for error in SARIF.iter_errors(log)] == []
    return log["runs"][0]


def test_sarif_is_valid_and_says_all(linter):
    mixed(linter)
    linter.add(tests_quiet=VERSION_TEST % "  # zlbench: ignore[SV1] known")
    linter.write("tests/test_with space#1.py", DEAD)
    run = sarif(linter)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    by_file = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: result
               for result in run["results"]}
    assert by_file["tests/test_quiet.py"]["suppressions"] == [{"kind": "inSource", "justification": "known"}]
    assert "suppressions" not in by_file["tests/test_warning.py"]
    error = by_file["tests/test_with%20space%231.py"]
    assert error["level"] == "error" and error["properties"]["vendors"] == ["alder", "birch", "cedar"]
    assert error["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_the_sarif_schema_refuses_what_is_no_sarif():
    assert not SARIF.is_valid({"$schema": "x", "version": "2.1.0", "runs": [{"results": []}]})


def test_a_finding_keeps_its_fingerprint_when_lines_move_and_equal_ones_differ(linter):
    def prints(text):
        linter.write("tests/test_x.py", text)
        linter.add(tests_error=DEAD)
        return [result["partialFingerprints"]["zlbench/v1"] for result in sarif(linter, "--rule", "SV1,VL1")["results"]
                if result["ruleId"] == "SV1"]

    line = 'A = triton.__version__ >= "3.6"\n'
    first = prints("import triton\n" + line + line)
    assert len(set(first)) == 2
    assert prints("import triton\n\n\n" + line + line) == first


def test_sarif_names_the_rules_of_the_documentation():
    text = (TESTS.parent / "docs" / "lint.md").read_text()
    table = (TESTS.parent / "src" / "check" / "lint_rules.cc").read_text()
    rules = re.findall(r'\{"([A-Z]{2}\d)",\s*"([a-z-]+)"', table)
    assert len(rules) >= 18
    for rule, name in rules:
        assert re.search(r"^### %s %s$" % (rule, name), text, re.MULTILINE), rule


# --- the cache


def test_a_second_run_answers_from_the_cache_until_a_file_changes(linter):
    mixed(linter)
    age(linter.root)
    first = linter.report()
    second = linter.report()
    assert (first["from_cache"], second["from_cache"]) == (False, True)
    assert first["findings"] == second["findings"]
    linter.add(tests_error="X = 1\n")
    third = linter.report()
    assert not third["from_cache"]
    assert [entry["rule"] for entry in third["findings"]] == ["CU1", "SV1"]


@pytest.mark.parametrize("change", ["new", "gone", "catalogue", "tuned"])
def test_any_file_that_counts_renews_the_answer(linter, change):
    mixed(linter)
    linter.report()
    if change == "new":
        linter.add(tests_new=DEAD)
    elif change == "gone":
        (linter.root / "tests/test_error.py").unlink()
    elif change == "catalogue":
        linter.write("conf/operators.yaml", "ops:\n  - id: add\n")
    else:
        linter.write("src/flag_gems/runtime/backend/_birch/tune_configs.yaml", "x:\n- META: {}\n")
    assert not linter.report()["from_cache"]


def test_a_broken_cache_costs_time_and_nothing_else(linter):
    mixed(linter)
    whole = linter.report()["findings"]
    (cache,) = (linter.machine.folder / "home").rglob("lint/*")
    for text in (b"", b"\n\n\n\n", cache.read_bytes()[:-20], os.urandom(500)):
        cache.write_bytes(text)
        report = linter.report()
        assert not report["from_cache"] and report["findings"] == whole


def age(folder):
    """Files as old as those of a checkout: one written this very moment might change unseen."""
    for path in folder.rglob("*"):
        os.utime(path, (1.6e9, 1.6e9))


# --- bad input


@pytest.mark.parametrize("data", [
    b"def test_x(:\n", b"x = '\x00'\n", b"x = '\xff\xfe'\n", b"# coding: nonsense\nx = 1\n", b"\xff\xfed\x00e\x00f\x00",
    b"x = " + b"(" * 3000 + b")" * 3000 + b"\n", b"if 1:\n\tx = 1\n        y = 2\n"])
def test_a_file_that_python_does_not_read_is_a_finding_and_the_others_are_read(linter, data):
    mixed(linter)
    (linter.root / "tests/test_broken.py").write_bytes(data)
    (linter.root / "src/flag_gems/ops/broken.py").write_bytes(data + b"\nx.item()\n")
    found = {(entry["file"], entry["rule"]) for entry in linter.findings()}
    assert ("tests/test_broken.py", "PY1") in found
    assert ("tests/test_error.py", "VL1") in found


def test_a_file_that_nests_too_deeply_costs_a_rule_and_not_the_run(linter):
    mixed(linter)
    linter.write("tests/test_deep.py", "import flag_gems\nX = flag_gems.vendor_name == 'cedar'\nY = x" + ".a" * 4000 + "\n")
    done = linter.run(code=1)
    assert "note: tests/test_deep.py: " in done.stderr and "RecursionError" in done.stderr
    assert "error VL1" in done.stdout


def test_a_broken_package_file_leaves_the_rules_that_do_not_need_it(linter):
    mixed(linter)
    linter.write(ROOT + "__init__.py", "def x(:\n")
    linter.write("src/flag_gems/runtime/backend/_alder/__init__.py", "def x(:\n")
    assert {"SV1", "CU1"} <= {entry["rule"] for entry in linter.findings()}


def test_a_file_of_100_mb_is_left_out_with_a_note(linter):
    mixed(linter)
    with open(linter.root / "tests/test_huge.py", "wb") as stream:
        stream.truncate(100 << 20)
    done = linter.run(code=1)
    assert "note: tests/test_huge.py: left out, it is longer than 4 MiB" in done.stderr
    assert "error VL1" in done.stdout


def test_links_in_a_circle_end(linter):
    mixed(linter)
    (linter.root / "tests/loop").symlink_to(linter.root / "tests")
    (linter.root / "tests/test_self.py").symlink_to(linter.root / "tests/test_self.py")
    (linter.root / "tests/test_nowhere.py").symlink_to("nothing")
    done = linter.run(code=1)
    assert done.stderr.count("left out") == 2
    assert [entry["file"] for entry in linter.findings("VL1")] == ["tests/test_error.py"]


def test_a_file_whose_reading_fails_is_a_finding(linter):
    mixed(linter)
    (linter.root / "tests/test_shut.py").symlink_to("/proc/self/mem")  # opens, and then answers EIO
    done = linter.run(code=1)
    assert "tests/test_shut.py:1: error PY1: cannot be read as Python: Input/output error" in done.stdout
    assert "error VL1" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root lists everything")
def test_a_folder_that_cannot_be_listed_is_named(linter):
    mixed(linter)
    (linter.root / "tests/shut").mkdir(mode=0)
    assert "note: tests/shut: cannot be listed: Permission denied" in linter.run(code=1).stderr


def test_names_that_are_no_text_are_left_out(linter):
    mixed(linter)
    for name in (b"test_\xff.py", b"test_\x1b[31m.py"):
        path = os.path.join(os.fsencode(linter.root), b"tests", name)
        with open(path, "w") as stream:
            stream.write(DEAD)
    done = linter.run(code=1)
    assert done.stderr.count("its name is no plain text") == 2
    assert "\x1b" not in done.stdout + done.stderr


def test_what_a_file_says_does_not_reach_the_terminal_raw(linter):
    linter.write("tests/test_x.py", "import flag_gems\nX = flag_gems.vendor_name == '\x1b[2J\u202e'\n")
    done = linter.run(code=1)
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("make", ["nothing", "file", "empty", "link to itself"])
def test_what_is_no_corpus_is_said_to_be_none(machine, make):
    path = machine.folder / "thing"
    if make == "file":
        path.write_text("x")
    elif make == "empty":
        path.mkdir()
    elif make == "link to itself":
        path.symlink_to(path)
    done = machine.run("lint", path, code=4)
    assert "is not a FlagGems checkout" in done.stderr and done.stdout == ""


def test_a_corpus_without_vendors_is_linted_as_far_as_that_goes(linter):
    import shutil

    mixed(linter)
    shutil.rmtree(linter.root / "src/flag_gems/runtime/backend")
    done = linter.run("--fail-on", "warning", code=1)
    assert "the rules about vendors have nothing to go by" in done.stderr
    assert "SV1" in done.stdout


@pytest.mark.parametrize("python,says", [
    ("/no/such/python", "/no/such/python"), ("/bin/false", "exit status 1"), ("/bin/true", "not whole")])
def test_a_python_that_does_not_work_is_named(linter, python, says):
    done = linter.run("--python", python, code=4)
    assert "cannot read the corpus with '%s'" % python in done.stderr and says in done.stderr


def test_another_program_that_answers_in_our_form_is_not_believed(linter):
    fake = linter.machine.folder / "python"
    fake.write_text("#!/bin/sh\necho '{\"rule\": \"ZZ9\", \"file\": \"x\"}'\necho '{\"done\": true}'\n")
    fake.chmod(0o755)
    assert "not whole" in linter.run("--python", fake, "--format", "sarif", code=4).stderr


def test_nothing_of_the_corpus_is_imported_and_nothing_written_into_it(linter):
    linter.add(tests_x='open("imported", "w").close()\n')
    before = sorted(linter.root.rglob("*"))
    linter.run()
    assert sorted(linter.root.rglob("*")) == before
