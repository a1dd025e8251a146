"""Shapes of the plan instead of the corpus' own."""

import sys

import pytest

from parent import DEFAULT_PLUGINS, PLUGINS_FOLDER, make_plan

sys.path.insert(0, str(PLUGINS_FOLDER))

from zlbench_plugins.shapes import elements_of, small_ones  # noqa: E402

PLUGINS = (*DEFAULT_PLUGINS, "shapes")
ABS = "test_abs.py::test_abs"


def shapes_of(child):
    return sorted({begin["shape_text"] for begin in child.all("case_begin")})


def test_small_keeps_the_small_ones(run):
    child = run(ABS, plugins=PLUGINS, plan=make_plan(shapes={"mode": "small",
                                                             "max_elements": 4096}))
    assert shapes_of(child) == ["[(64, 64)]", "[(64,)]"]
    assert child.notes("SHAPES")[0]["text"] == "abs: 2 of 3 shapes are small enough"


def test_small_keeps_at_least_the_smallest(run):
    child = run(ABS, plugins=PLUGINS, plan=make_plan(shapes={"mode": "small", "max_elements": 1}))
    assert shapes_of(child) == ["[(64,)]"]


def test_small_reaches_classes_with_shapes_of_their_own(run):
    child = run("test_broken_parts.py::test_bad_metrics", plugins=PLUGINS,
                plan=make_plan(shapes={"mode": "small", "max_elements": 20}))
    assert shapes_of(child) == ["[(4, 4)]"]


@pytest.mark.parametrize("entry", ["abs", "UnaryBenchmark", "Benchmark"])
def test_file_gives_the_shapes(run, tmp_path, entry):
    path = tmp_path / "shapes.yaml"
    path.write_text(f"{entry}:\n  shapes:\n    - [5, 6]\n  shape_desc: M\n")
    child = run(ABS, plugins=PLUGINS, plan=make_plan(shapes={"mode": "file", "path": str(path)}))
    assert shapes_of(child) == ["[(5, 6)]"]
    assert child.notes("SHAPES")[0]["text"] == "abs: 1 shapes from the file instead of 3"


def test_operator_beats_class_and_absent_one_keeps_its_own(run, tmp_path):
    path = tmp_path / "shapes.yaml"
    path.write_text("UnaryBenchmark:\n  shapes: [[9]]\nabs:\n  shapes: [[8]]\n")
    plan = make_plan(shapes={"mode": "file", "path": str(path)})
    child = run(ABS, "test_add.py::test_add_tensor", plugins=PLUGINS, plan=plan)
    assert shapes_of(child) == ["[(1024, 1024), (1024, 1024)]", "[(64, 64), (64, 64)]", "[(8,)]"]
    assert "add: not in the shape file" in child.notes("SHAPES")[1]["text"]


@pytest.mark.parametrize("text, words", [
    (None, "No such file"), ("a: [", "cannot be read"), ("- 1", "is no map")])
def test_broken_shape_file_measures_nothing(run, tmp_path, text, words):
    path = tmp_path / "shapes.yaml"
    if text is not None:
        path.write_text(text)
    child = run(ABS, plugins=PLUGINS, plan=make_plan(shapes={"mode": "file", "path": str(path)}))
    assert child.all("measurement") == [] and child.bye["exit_status"] == 4
    assert words in child.bye["reason"] and str(path) in child.bye["reason"]


def test_upstream_leaves_them(run):
    assert len(shapes_of(run(ABS, plugins=PLUGINS))) == 3


@pytest.mark.parametrize("shape, elements", [
    ((2, 3), 6), ((), 1), (5, 5), (((2, 3), (4,)), 10), ((2, 3, "mean"), 5), ("x", 0)])
def test_elements(shape, elements):
    assert elements_of(shape) == elements


def test_small_ones_of_nothing():
    assert small_ones([], 10) == []
