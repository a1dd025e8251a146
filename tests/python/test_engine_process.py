"""What the engine's child does as a whole: which timer, and what ends it."""

import pytest

from engine_parent import Op, ended, runtime_library, start_engine_child
from vendor_words import DIRECT_RUNTIME, GRAPH_MODE


@pytest.fixture
def ran(tmp_path):
    return lambda timer, *tests, **options: ended(
        start_engine_child(tmp_path, timer, tests, **options))


def test_direct_is_asked_for(ran):
    child = ran("direct", "clean", "in_place", "compiles_late", "never_quiet")
    for name in ("clean", "in_place", "compiles_late"):
        found = Op(child, name)
        assert found.timer() == "direct-blk"
        assert found.fallback() == "" and found.flags() == []
        assert found.sides["candidate"]["host_ns"] > 0
    late = Op(child, "compiles_late").sides["candidate"]["timing"]["summary"]
    assert late["rejected_bursts"] >= 1
    never = Op(child, "never_quiet").end
    assert never["status"] == "failed" and never["phase"] == "measure"
    assert never["error"] == "EngineError: no burst could be kept: all were rejected"
    words = next(line for line in child.log.splitlines() if line.startswith("RUNS")).split()
    assert int(words[1]) > 500 and int(words[3]) < 2 * 60


def test_a_device_that_cannot_hold_a_stream(ran):
    found = Op(ran("direct", "clean", family=DIRECT_RUNTIME), "clean")
    assert found.timer() == "direct-preroll"
    assert found.fallback() == "the device cannot hold a stream"


@pytest.mark.parametrize("name", ["lost", "lost_in_own_run"])
def test_a_lost_device_ends_the_session(ran, name):
    child = ran("graph", name, "after_the_loss")
    assert Op(child, name).end["status"] == "failed" and len(Op(child, name).cases) == 1
    assert "RAN_ON_A_LOST_DEVICE" not in child.log
    assert "code 700" in child.notes("DEVICE_LOST")[0]["text"]
    assert "code 700" in child.bye["reason"] and child.bye["failed"] == 1


@pytest.mark.parametrize("timer, mode, caliber", [
    ("upstream", "kernel", "upstream-do_bench/"), ("graph", "operator", "upstream-wallclock/"),
    ("graph", GRAPH_MODE, f"upstream-do_bench_{GRAPH_MODE}/")])
def test_the_corpus_timer_where_it_is_asked_for(ran, timer, mode, caliber):
    child = ran(timer, "clean", arguments=["--mode", mode])
    assert all(found.startswith(caliber) for found in Op(child, "clean").calibers)
    assert "timing_engine" not in child.identity


def test_a_runtime_that_cannot_be_opened(ran, monkeypatch):
    library = runtime_library("broken")
    monkeypatch.setattr("engine_parent.plan_libraries", lambda family: [str(library)])
    end = Op(ran("graph", "clean"), "clean").end
    assert (end["status"], end["phase"]) == ("failed", "baseline")
    assert end["error"].startswith("EngineError: ")
