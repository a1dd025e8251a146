"""The corpus measured through the timing engine: what each kind of operator gets for a number."""

import ctypes
import json

import pytest

from engine_parent import ENGINE, Op, ended, start_engine_child

OPERATORS = ("clean", "in_place", "in_place_later", "contexts", "backward", "raises", "raises_late", "no_capture", "partly",
             "random", "no_result", "no_tensors", "integers", "compiles", "never_quiet", "own_run",
             "split", "own_latency", "two_calls", "tuner", "nan", "huge", "library", "collector")
# These are measured for seconds, or with the host's clock.
APART = {"waits": ("waits", "clean"), "escapes": ("escapes",), "cached": ("cached",),
         "on_host": ("on_host",)}
GRAPH, BLOCKED, SYNC = "graph-evt", "direct-blk", "direct-sync"


@pytest.fixture(scope="module")
def children(tmp_path_factory):
    """By operator: one process for the quick ones, one for each of the others, all at once."""
    quick = start_engine_child(tmp_path_factory.mktemp("quick"), "graph", OPERATORS)
    apart = {name: start_engine_child(tmp_path_factory.mktemp(name), "graph", group)
             for name, group in APART.items()}
    for child in (quick, *apart.values()):
        ended(child)
    return {**{name: quick for name in OPERATORS}, **apart}


@pytest.fixture
def op(children):
    return lambda name: Op(children[name], name)


@pytest.fixture
def log(children):
    return children["clean"].log


@pytest.mark.parametrize("name", ["clean", "in_place", "backward", "no_result", "integers",
                                  "own_latency", "tuner", "nan", "library"])
def test_what_can_be_captured_is_measured_as_a_graph(op, name):
    found = op(name)
    assert found.timer() == GRAPH and found.end["status"] == "ok"
    for side in ("baseline", "candidate"):
        assert found.flags(side) == [] and found.fallback(side) == ""
        assert found.sides[side]["value_ns"] == pytest.approx(20_000, rel=0.01)
        assert found.sides[side]["timing"]["census"]["kernels"] == 1
    metrics = found.end["metrics"]
    assert metrics["speedup"] == pytest.approx(1, rel=0.01)
    assert 0.99 < metrics["speedup_low"] <= metrics["speedup"] <= metrics["speedup_high"] < 1.01
    assert found.notes == []


def test_the_message_holds_interval_and_record(op):
    first = op("clean").sides["baseline"]
    assert first["ci_low_ns"] <= first["value_ns"] <= first["ci_high_ns"]
    assert first["samples"] >= 64 and first["raw"]["unit"] == "ms"
    library = ctypes.CDLL(str(ENGINE))
    for name in ("open", "summarise"):
        getattr(library, f"zl_timing_{name}").restype = ctypes.c_void_p
    engine = ctypes.c_void_p(library.zl_timing_open(b"none", None, 0, 0))
    record = json.dumps(first["timing"]["record"]).encode()
    again = ctypes.string_at(library.zl_timing_summarise(engine, record))
    assert json.loads(again) == first["timing"]["summary"]


def test_a_call_that_changes_its_input_starts_from_the_same_one(op, log):
    assert op("in_place").timer() == GRAPH
    words = next(line for line in log.splitlines() if line.startswith("RUNS")).split()
    # Only the engine's calls that look for work elsewhere are made in a row.
    assert int(words[1]) > 500 and int(words[3]) < 2 * 60


def test_a_call_that_begins_to_change_its_input_starts_from_the_same_one(op, log):
    assert op("in_place_later").timer() == GRAPH
    words = next(line for line in log.splitlines() if line.startswith("RUNS_LATER")).split()
    assert int(words[1]) > 500 and int(words[3]) < 2 * 60


def test_the_library_is_not_put_in_place_more_often_than_needed(op, log):
    """It takes long there. To make ready and to check the graph; the
    first time also to see whether the call leaves its input alone."""
    lines = [line.split()[1:] for line in log.splitlines() if line.startswith("CONTEXTS")]
    assert lines == [["4", "3"], ["5", "2"], ["6", "2"]]
    assert op("contexts").timer() == GRAPH


def test_the_corpus_table_holds_the_numbers(op, log):
    table = log.partition("Operator: engine_clean dtype=torch.float32")[2].splitlines()[1:3]
    assert [line.split()[0] for line in table] == ["SUCCESS", "SUCCESS"]
    for line, case in zip(table, op("clean").cases):
        assert float(line.split()[1]) * 1e6 == pytest.approx(20_000, rel=0.01)
        assert case["end"]["status"] == "ok"


@pytest.mark.parametrize("name, phase, error", [
    ("raises", "baseline", "ArithmeticError: the third call"),
    ("raises_late", "candidate", "ArithmeticError: a late call")])
def test_a_call_that_raises_fails_its_case_alone(op, name, phase, error):
    failed, after = op(name).cases
    assert failed["end"]["status"] == "failed" and failed["sides"] == []
    assert (failed["end"]["phase"], failed["end"]["error"]) == (phase, error)
    assert after["end"]["status"] == "ok" and after["sides"] == ["baseline", "candidate"]


def test_what_cannot_be_captured_takes_the_other_side_along(op):
    found = op("no_capture")
    assert found.timer() == BLOCKED and found.end["metrics"]["speedup"] > 0
    reason = "capture failed: NotImplementedError: not while capturing"
    assert found.fallback("candidate") == reason
    assert found.fallback("baseline") == f"like the other side: {reason}"
    assert op("partly").timer() == BLOCKED and op("random").timer() == GRAPH  # in what follows


def test_a_call_that_waits_for_the_device(op, children):
    found = op("waits")
    assert found.timer() == SYNC and found.end["status"] == "ok"
    assert "capture failed: RuntimeError: operation not permitted" in found.fallback()
    assert Op(children["waits"], "clean").timer() == GRAPH  # the next one is not hurt by it


def test_work_on_another_stream_is_found(op):
    found = op("escapes")
    assert found.timer() == SYNC
    assert {"escaped_work", "false_graph"} <= set(found.flags("candidate"))
    assert "escaped_work" not in found.flags("baseline")
    assert "another stream or thread" in found.fallback("candidate")
    assert refused(found) == "candidate: false_graph"


def refused(found):
    """Why there is no speedup."""
    (note,) = [note for note in found.notes if note["code"] == "NO_SPEEDUP"]
    assert found.end["status"] == "ok"
    assert not {"speedup", "speedup_low", "speedup_high"} & set(found.end.get("metrics", {}))
    return note["text"].removeprefix(f"{found.id}: ")


@pytest.mark.parametrize("name, flags", [("cached", "host_only"),
                                         ("on_host", "host_only, false_graph")])
def test_without_work_for_the_device_there_is_no_speedup(op, name, flags):
    found = op(name)
    assert refused(found).startswith(f"candidate: {flags}")
    assert found.sides["baseline"]["caliber"].startswith(BLOCKED)


def test_a_result_that_the_graph_does_not_make(op):
    found = op("partly")
    assert refused(found) == "candidate: false_graph"
    assert found.flags("candidate") == ["false_graph"] and found.flags("baseline") == []
    assert "leaves its output unwritten" in found.fallback("candidate")


@pytest.mark.parametrize("name, flags", [
    ("random", ["replay_unchecked"]), ("no_tensors", ["replay_unchecked"]),
    ("huge", ["inputs_unchecked", "replay_unchecked"])])
def test_what_could_not_be_checked_is_said(op, name, flags):
    found = op(name)
    assert found.timer() == GRAPH and found.end["metrics"]["speedup"] > 0
    assert found.flags("baseline") == found.flags("candidate") == flags


def test_compiling_is_waited_for(op):
    assert op("compiles").flags() == [] and op("compiles").timer() == GRAPH
    assert len(op("compiles").case["kernels"]) == 2
    assert op("never_quiet").flags("candidate") == ["unsettled"]
    assert op("never_quiet").flags("baseline") == []


def test_a_run_of_its_own_gets_the_engines_numbers(op, log):
    found = op("own_run")
    assert found.timer() == GRAPH and "OWN_RUN True" in log
    assert found.end["metrics"]["speedup"] == pytest.approx(1, rel=0.01)
    # It calls within the library's context: what checks the candidate would be the library's too.
    assert found.flags("baseline") == []
    assert found.flags("candidate") == ["inputs_unchecked", "replay_unchecked"]


def test_sides_that_were_not_measured_in_the_same_way_have_no_speedup(op):
    found = op("split")
    assert len(found.calibers) == len(found.sides) == 2
    assert refused(found) == "candidate: measured in another way than the other side"


def test_a_get_latency_of_its_own(op, log):
    assert "MEASURED_TENSORS 2" in log  # the copies that it makes, one a side
    found = op("two_calls")
    assert all(caliber.startswith("upstream-do_bench/") for caliber in found.calibers)
    assert found.notes[0]["code"] == "OWN_LATENCY" and "2 calls" in found.notes[0]["text"]


def test_the_tuner_gets_the_untouched_timer(log):
    assert "TUNED_WITH triton.testing.do_bench" in log and "TIMER_UNTOUCHED True" in log


def test_the_checks_are_not_made_by_the_library_under_test(log):
    assert "INSIDE_LIBRARY []" in log


def test_the_collector_is_on_afterwards(log):
    assert "COLLECTOR True" in log


def test_the_identity_says_what_measured(children):
    facts = children["clean"].identity["timing_engine"]
    assert facts["has_device_code"] and facts["multiprocessors"] == 4
