"""Children that measure through the real timing engine, on the stand-in runtime of a family."""

import os
import pathlib

from parent import SITE, TESTS, Child, make_plan
from vendor_words import GRAPH_RUNTIME

BUILD = pathlib.Path(os.environ["ZLBENCH"]).parent
ENGINE = BUILD / "lib" / "zlbench" / "libzl_timing.so"
ENGINE_SITE = TESTS / "fakes" / "engine_site"


def runtime_library(prefix):
    return BUILD / "tests" / "fakes" / "vendor_lib" / f"libfake_runtime_{prefix}.so"


def plan_libraries(family):
    return [str(runtime_library(family[1]))]


def runtime_variables(family):
    return {"FAKE_RUNTIME_LIBRARY": str(runtime_library(family[1])),
            "FAKE_RUNTIME_PREFIX": family[1]}


def start_engine_child(folder, timer, tests, family=GRAPH_RUNTIME, seat=None, board=None, **options):
    """`tests`: names in test_engine.py, without test_."""
    plan = make_plan(timer=timer, seat=seat, engine={
        "library": str(ENGINE), "family": family[0],
        "libraries": plan_libraries(family)})
    nodes = [f"benchmark/test_engine.py::test_{name}" for name in tests]
    return Child(folder, nodes, plan=plan, site=f"{ENGINE_SITE}:{SITE}",
                 env=runtime_variables(family),
                 board=board and board.descriptor, **options)


def ended(child):
    """The child, run to its end."""
    try:
        child.status = child.finish()
    finally:
        child.end()
    return child


class Op:
    """What a child said of one operator with a single case."""

    def __init__(self, child, name):
        self.cases = [case for case in child.cases().values()
                      if case["begin"]["node"].endswith(f"::test_{name}")]
        self.case = self.cases[0]
        self.id = self.case["begin"]["case"]
        self.end = self.case["end"]
        self.sides = {message["side"]: message for message in child.all("measurement")
                      if message["case"] == self.id}
        self.notes = [note for note in child.all("note") if self.id in note["text"]]

    @property
    def calibers(self):
        return {side["caliber"] for side in self.sides.values()}

    def timer(self):
        """Of both sides: they must have been taken in the same way."""
        assert len(self.sides) == 2, self.end
        (caliber,) = self.calibers
        return caliber.partition("/")[0]

    def flags(self, side="candidate"):
        return self.sides[side].get("flags", [])

    def fallback(self, side="candidate"):
        return self.sides[side].get("fallback", "")
