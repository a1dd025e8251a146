"""The hooks through which the plug-ins meet. `timing` calls them, `results` and `kernels` listen.

`case` is a cases.Case; `side` is "baseline" or "candidate". The order for one case:
case_begin, then for each side side_begin, side_warm and side_end, and a measurement if there is a
number: before its side_warm by the corpus' own timer, after both sides by the engine; then case_end.
"""


def pytest_zlbench_case_begin(case):
    """A shape and dtype of a node begins."""


def pytest_zlbench_side_begin(case, side):
    """What the process compiles from here on belongs to this side."""


def pytest_zlbench_measurement(case, side, caliber, latency_ms, timing):
    """One number, finite and above 0. `timing`: how the engine took it, see zl_timing_measure; None
    from the corpus' own timer."""


def pytest_zlbench_side_warm(case, side, make_call):
    """The side has run and is still in its context, and nothing is timed. `make_call()` prepares one
    call and returns it, for those who want to see one. Not called for a side that failed."""


def pytest_zlbench_side_end(case, side):
    """The side is measured, or ready for it by the engine, or has failed."""


def pytest_zlbench_case_end(case, status, error, metrics):
    """`status` is ok, failed or skipped; for a failure `error` says `type: text` and `case.phase`
    what was running."""
