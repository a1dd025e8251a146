"""Case messages, counts and the one last line."""

import signal

import pytest


def test_ids_are_unique_and_readable(run):
    child = run("test_add.py")
    begins = child.all("case_begin")
    ids = [begin["case"] for begin in begins]
    assert len(ids) == len(set(ids)) == 3 * 2 * 2
    assert ids[0] == "test_add_tensor/add/float16/1"
    assert begins[0]["node"] == "benchmark/test_add.py::test_add_tensor"
    assert begins[0]["shape"] == [[64, 64], [64, 64]]
    assert begins[0]["shape_text"] == "[(64, 64), (64, 64)]"
    named = [begin for begin in begins if begin["node"].endswith("test_add_out")]
    assert {begin["name"] for begin in named} == {"add[floor]", "add[trunc]"}
    assert named[0]["shape_text"] == "[(64, 64), 2] {out=(64, 64)}"


def test_two_nodes_are_counted(run):
    child = run("test_abs.py")
    assert (child.bye["collected"], child.bye["passed"], child.bye["failed"]) == (2, 2, 0)
    assert {begin["node"].rpartition("::")[2] for begin in child.all("case_begin")} == {
        "test_abs", "test_abs_inplace"}
    assert child.messages[-1] == child.bye


def test_accuracy_tests_are_counted_without_cases(run):
    child = run("tests/test_abs.py", "tests/test_add.py")
    assert (child.bye["passed"], child.bye["failed"]) == (2, 1)
    assert child.bye["failed_in"] == "call"
    assert child.bye["reason"].startswith("ArithmeticError: 1 of 4 elements differs; then Assert")


def test_gate_is_a_skip_with_its_reason(run):
    child = run("test_gated.py")
    assert (child.bye["skipped"], child.bye["passed"], child.bye["exit_status"]) == (1, 0, 0)
    assert child.bye["reason"] == "requires a vendor that nobody has"


def test_missing_import_is_a_skip_of_the_file(run):
    child = run("test_needs_missing.py")
    assert (child.bye["collected"], child.bye["skipped"], child.bye["exit_status"]) == (0, 1, 5)
    assert "zl_module_that_is_nowhere" in child.bye["reason"]


@pytest.mark.parametrize("file, reason", [
    ("test_import_fails.py", "ModuleNotFoundError: No module named 'zl_module_that_is_nowhere'; "
                             "then RuntimeError: this benchmark cannot go on"),
    ("test_broken_syntax.py", "SyntaxError: ")])
def test_collection_error_names_file_and_first_cause(run, file, reason):
    child = run(file)
    assert (child.bye["failed_in"], child.bye["collected"]) == ("collection", 0)
    assert child.bye["reason"].startswith(f"benchmark/{file}: {reason}")
    assert f"(benchmark/{file}:" in child.bye["reason"]
    assert child.bye["exit_status"] == child.status == 2


def test_broken_fixture_failed_in_setup(run):
    child = run("test_broken_parts.py::test_bad_setup")
    assert (child.bye["failed_in"], child.bye["reason"]) == (
        "setup", "OSError: the fixture is broken")


def test_node_that_does_not_exist(run):
    child = run("test_abs.py::test_of_nobody")
    assert (child.bye["failed_in"], child.bye["exit_status"]) == ("collection", 4)
    assert "test_of_nobody" in child.bye["reason"]


def test_unknown_option_still_says_bye(run):
    child = run("test_abs.py", arguments=["--option-of-nobody"])
    assert child.bye["exit_status"] == child.status == 4
    assert "see the log" in child.bye["reason"]


def test_crash_keeps_what_was_measured(run):
    child = run("test_crash.py")
    assert child.status == -signal.SIGSEGV and child.all("bye") == []
    first, second = child.cases().values()
    assert (first["end"]["status"], second["end"]) == ("ok", None)
    assert second["sides"] == ["baseline"]


def test_terminated_child_says_bye(start):
    child = start("test_hang.py")
    child.wait_for("measurement")
    child.process.send_signal(signal.SIGTERM)
    assert child.finish() == -signal.SIGTERM
    assert child.bye["reason"] == "ended by signal 15" and child.bye["exit_status"] == 143


def test_flooded_log_harms_no_message(run):
    child = run("test_flood.py")
    assert child.bye["passed"] == 1 and child.broken_lines == []
    assert len(child.all("measurement")) == 12


def test_grandchildren_do_not_hold_the_channel(run):
    child = run("test_grandchild.py", arguments=["-s"])
    assert child.bye["passed"] == 1 and "GRANDCHILD" in child.log


def test_without_the_plugin_no_case_is_told(run):
    child = run("test_abs.py", plugins=("device_setup", "timing"))
    assert child.all("case_begin") == child.all("bye") == []
