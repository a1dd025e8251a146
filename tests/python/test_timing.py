"""The corpus' loop, taken over: no failing shape takes another one with it."""

import re

import pytest

from vendor_words import GRAPH_MODE


def statuses(child):
    return [case["end"]["status"] for case in child.cases().values()]


def failed(child):
    return [case for case in child.cases().values() if case["end"]["status"] == "failed"]


def test_every_shape_and_dtype_has_both_sides(run):
    child = run("test_abs.py::test_abs")
    cases = child.cases()
    assert child.status == 0
    assert len(cases) == 3 * 2 and all(case["sides"] == ["baseline", "candidate"]
                                       for case in cases.values())
    assert statuses(child) == ["ok"] * 6
    assert all(case["end"]["metrics"]["speedup"] > 0 for case in cases.values())


def test_measurement_says_how_it_was_taken(run):
    child = run("test_abs.py::test_abs", arguments=["--warmup", "50", "--iter", "20"])
    first = child.all("measurement")[0]
    assert first["caliber"] == (
        "upstream-do_bench/mode=kernel/stat=median/warmup=50ms/rep=20ms/l2=flush-256MB-write")
    assert first["raw"]["unit"] == "ms"
    assert first["value_ns"] == pytest.approx(first["raw"]["value"] * 1e6)


@pytest.mark.parametrize("mode, caliber", [
    ("operator", r"upstream-wallclock/mode=operator/stat=mean/.*sync=around-loop"),
    ("wrapper", r"upstream-wallclock/mode=wrapper/stat=mean/.*sync=before-loop"),
    (GRAPH_MODE,
     rf"upstream-do_bench_{GRAPH_MODE}/mode={GRAPH_MODE}/stat=median/rep=100ms/l2=kept")])
def test_caliber_follows_the_corpus_mode(run, mode, caliber):
    child = run("test_abs.py::test_abs", arguments=["--mode", mode])
    assert re.fullmatch(caliber, child.all("measurement")[0]["caliber"])


def test_failing_shape_loses_no_other(run):
    child = run("test_exp.py")
    assert statuses(child) == ["ok", "failed", "ok"] * 2
    for case in failed(child):
        assert case["sides"] == ["baseline"]
        assert case["end"]["phase"] == "candidate"
        assert case["end"]["error"] == "RuntimeError: shape with a 7 is not supported"
    assert child.bye["reason"] == (
        "candidate: RuntimeError: shape with a 7 is not supported ([(7, 4)], float16); "
        "2 of 6 cases failed")
    assert (child.bye["failed"], child.bye["failed_in"], child.status) == (1, "call", 1)


def test_tables_keep_the_shapes_that_worked(run):
    child = run("test_exp.py", arguments=["--record", "log"])
    table = child.log.partition("Operator: exp dtype=torch.float16")[2].partition("RECORDED")[0]
    assert [line.split()[0] for line in table.splitlines()[1:4]] == ["SUCCESS", "FAILED", "SUCCESS"]
    assert "RECORDED {" in child.log


def test_results_reach_the_corpus_own_report(run, tmp_path):
    report = tmp_path / "report.json"
    run("test_exp.py", arguments=["--record", "json", "--output", str(report)])
    assert report.read_text().count('"shape_detail"') == 6


def test_failing_baseline(run):
    child = run("test_broken_parts.py::test_bad_baseline")
    assert statuses(child) == ["ok", "failed", "ok"] * 2
    assert failed(child)[0]["end"]["phase"] == "baseline"
    assert failed(child)[0]["end"]["error"] == "NotImplementedError"
    assert failed(child)[0]["sides"] == []


def test_failing_input_ends_its_dtype_only(run):
    child = run("test_broken_parts.py::test_bad_input")
    assert statuses(child) == ["ok", "failed", "ok", "ok", "ok"]
    (case,) = failed(child)
    assert case["end"]["phase"] == "input"
    assert case["begin"]["dtype"] == "float16"
    assert child.bye["reason"].startswith("input: MemoryError: no room for the input (?, float16)")


def test_failing_metrics_keep_the_numbers(run):
    child = run("test_broken_parts.py::test_bad_metrics")
    assert statuses(child) == ["ok", "failed", "ok"] * 2
    assert failed(child)[0]["end"]["phase"] == "metrics"
    assert failed(child)[0]["sides"] == ["baseline", "candidate"]
    assert list(child.cases().values())[0]["end"]["metrics"]["gbps"] == 1.5


def test_lost_device_ends_the_session(run):
    child = run("test_sin.py")
    assert statuses(child) == ["ok", "failed"]
    assert child.notes("DEVICE_LOST")[0]["level"] == "error"
    assert "RAN_ON_A_LOST_DEVICE" not in child.log
    assert "illegal memory access" in child.bye["reason"]


def test_skip_inside_a_shape(run):
    child = run("test_broken_parts.py::test_skips_inside")
    assert statuses(child) == ["ok", "skipped", "ok"] * 2
    assert child.bye["skipped"] == 1 and child.bye["reason"] == "a 7 is too odd"


def test_no_shapes_is_a_failure(run):
    child = run("test_broken_parts.py::test_no_numbers")
    assert child.cases() == {}
    assert (child.bye["failed"], child.bye["reason"]) == (1, "no shapes")


def test_number_that_is_none_is_not_sent(run):
    child = run("test_broken_parts.py::test_odd_timer")
    assert child.all("measurement") == [] and child.broken_lines == []
    assert "nan" in child.notes("NO_NUMBER")[0]["text"]
    assert all("speedup" not in case["end"].get("metrics", {}) for case in child.cases().values())


def test_override_of_the_timer_shows_in_the_caliber(run):
    child = run("test_broken_parts.py::test_doubled_timer")
    assert statuses(child) == ["ok"] * 6
    assert child.all("measurement")[0]["caliber"].endswith("/via=DoubledTimer.get_latency")


def test_query_mode_stays_the_corpus_own(run):
    child = run("test_abs.py::test_abs", arguments=["--query"])
    assert "QUERY abs" in child.log and child.all("lease_wanted") == []


def test_metrics_that_were_not_asked_for_are_not_measured(run):
    child = run("test_abs.py::test_abs", arguments=["--metrics", "latency"])
    assert {message["side"] for message in child.all("measurement")} == {"candidate"}
    assert statuses(child) == ["ok"] * 6


def test_zero_of_the_library_is_kept_out_of_the_timer(run):
    child = run("test_zero.py::test_user_of_zero")
    assert child.status == 0 and "ZERO_OF_THE_LIBRARY" not in child.log
    child = run("test_zero.py::test_zero")
    assert "ZERO_OF_THE_LIBRARY" in child.log


def test_tuner_gets_the_untouched_timer(run):
    child = run("test_cumsum.py")
    assert "TUNED_WITH triton.testing.do_bench" in child.log
    assert "TIMER_UNTOUCHED True" in child.log


def test_own_run_is_listened_to(run):
    child = run("test_mm.py::test_mm")
    cases = list(child.cases().values())
    assert [case["sides"] for case in cases] == [["baseline", "candidate"]] * 4
    assert cases[0]["begin"]["shape_text"] == "[(4, 16), (16, 8)]"
    assert [case["begin"]["dtype"] for case in cases] == ["float16"] * 2 + ["float32"] * 2
    assert cases[0]["end"]["metrics"]["speedup"] > 0


def test_own_run_that_fails_keeps_what_it_had(run):
    child = run("test_mm.py::test_mm_fails")
    assert statuses(child) == ["ok", "failed"]
    assert failed(child)[0]["end"]["phase"] == "baseline"
    assert child.bye["reason"] == "ValueError: 7 rows"


def test_own_run_that_cannot_be_known_is_not_guessed(run):
    child = run("test_mm.py::test_mm_odd")
    assert child.all("measurement") == []
    assert "numbers not captured" in child.notes("OWN_RUN")[0]["text"]
    assert child.bye["passed"] == 1


def test_lease_is_taken_once_a_case_and_given_back_between(run):
    child = run("test_abs.py")
    kinds = [m["type"] for m in child.messages if m["type"].startswith(("lease", "measure"))]
    one_case = ["lease_wanted", "measurement", "measurement", "lease_released"]
    assert kinds == one_case * len(child.all("case_begin")) and len(kinds) > 4


def test_the_device_is_asked_for_before_it_is_used_and_given_back(run):
    child = run("test_abs.py")
    kinds = [m["type"] for m in child.messages]
    assert kinds.index("device_wanted") < kinds.index("identity")  # of the corpus and the device
    rights = [kind for kind in kinds if kind.startswith(("device_", "lease_"))]
    assert rights[:3] == ["device_wanted", "device_released", "device_wanted"]  # imports, a node
    assert rights[-1] == "device_released"

def test_without_the_plugin_nothing_is_measured(run):
    child = run("test_abs.py::test_abs", plugins=("device_setup", "results"))
    assert child.all("measurement") == [] and child.bye["passed"] == 1
