"""The hooks through which the plug-ins meet. `timing` calls them, `results` and `kernels` listen.

`case` is a cases.Case; `side` is "baseline" or "candidate". The order for one case:
case_begin, then for each side side_begin, measurement (if there is a number), side_end, then
case_end.
"""


def pytest_zlbench_case_begin(case):
    """A shape and dtype of a node begins."""


def pytest_zlbench_side_begin(case, side):
    """What the process compiles from here on belongs to this side."""


def pytest_zlbench_measurement(case, side, caliber, latency_ms):
    """One number, finite and above 0."""


def pytest_zlbench_side_end(case, side, make_call):
    """The side is measured, and still in its context. `make_call()` prepares one untimed call and
    returns it; None when the measurement failed, and then nothing may be called."""


def pytest_zlbench_case_end(case, status, error, metrics):
    """`status` is ok, failed or skipped; for a failure `error` says `type: text` and `case.phase`
    what was running."""
